//! A door of the kind that stands behind accounts: tickets, origins and permissions at a real server.
use crate::people::{PASSWORD, add, from_page, issue, origin, sign_in, store};
use crate::plain::{Response, dial, send};
use crate::service::{Options, Running};
use actix_web::{App, HttpRequest, HttpResponse, HttpServer, web};
use aura::account::{Permission, Role, Scope};
use aura_actors::accounts::Who;
use aura_actors::problem::Problem;
use aura_actors::web::guard::Gate;
use aura_actors::web::origin::Origins;
use aura_actors::web::peers::Peers;
use std::net::SocketAddr;

/// A websocket's door, up to the upgrade.
async fn socket(request: HttpRequest) -> Result<HttpResponse, Problem> {
    let who = Gate::of(&request)?.upgrade(&request).await?;
    Ok(HttpResponse::Ok().body(who.by()))
}

/// Doors that ask for one permission each.
async fn ask(who: Who, number: web::Path<usize>) -> Result<HttpResponse, Problem> {
    who.require(Permission::ALL[*number])?;
    Ok(HttpResponse::NoContent().finish())
}

/// A server with these doors on the accounts of `running`.
fn doors(running: &Running) -> SocketAddr {
    let gate = web::Data::new(Gate {
        accounts: running.service.as_ref().expect("it runs").accounts(),
        origins: Origins { allowed: vec!["https://aura.example".to_owned()] },
        peers: Peers::default(),
        loopback: true,
    });
    let app = move || {
        App::new()
            .app_data(gate.clone())
            .route("/socket", web::get().to(socket))
            .route("/may/{number}", web::to(ask))
    };
    let server = HttpServer::new(app).workers(1).disable_signals().bind("127.0.0.1:0").unwrap();
    let address = server.addrs()[0];
    actix_rt::spawn(server.run());
    address
}

/// A ticket from the service's own page.
async fn ticket(running: &Running, cookie: &str) -> String {
    let answer = from_page(running.address(), "POST", "/tickets", cookie, "").await;
    assert_eq!(answer.status, 200, "{answer:?}");
    let body: serde_json::Value = serde_json::from_str(&answer.body).unwrap();
    assert_eq!(body["expiresIn"], 30);
    body["ticket"].as_str().unwrap().to_owned()
}

/// Dials the socket's door with a ticket from the page of `origin`.
async fn with_ticket(door: SocketAddr, ticket: &str, origin: Option<&str>) -> Response {
    let headers: Vec<_> = origin.iter().map(|origin| ("origin", *origin)).collect();
    dial(door, &format!("/socket?ticket={ticket}"), &headers).await
}

#[actix_rt::test]
async fn a_ticket_opens_one_socket_once_from_the_page_that_asked_for_it() {
    let running =
        Running::start(Options::default().few_manuals().set("AURA_ORIGINS", "https://aura.example")).await;
    add(&store(&running).await, "ana", "operator", PASSWORD).await;
    let cookie = sign_in(running.address(), "ana", PASSWORD).await;
    let door = doors(&running);
    let page = origin(running.address());
    // This door has another port, so the service's page is a stranger to it: the console's name is allowed.
    let allowed = "https://aura.example";
    let from_allowed = || async {
        let headers = [("cookie", &*cookie), ("origin", allowed)];
        let answer = send("POST", running.address(), "/tickets", &headers, "").await;
        serde_json::from_str::<serde_json::Value>(&answer.body).unwrap()["ticket"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    let good = from_allowed().await;
    let opened = with_ticket(door, &good, Some(allowed)).await;
    assert_eq!((opened.status, &*opened.body), (200, "account:ana"));
    let twice = with_ticket(door, &good, Some(allowed)).await;
    assert_eq!(twice.status, 401, "a second time");
    assert!(twice.problem().contains("POST /tickets") && twice.headers.contains_key("www-authenticate"));
    // Of another page, and used up by that.
    let other = ticket(&running, &cookie).await;
    assert_eq!(with_ticket(door, &other, Some(allowed)).await.status, 401, "of another origin");
    assert_eq!(with_ticket(door, &other, None).await.status, 401, "and used up by that");
    // The page is looked at before the ticket: one from a stranger isn't even used up.
    let spared = from_allowed().await;
    for stranger in ["https://otro.example", &*page, "null", "https://aura.example.otro.example"] {
        assert_eq!(with_ticket(door, &spared, Some(stranger)).await.status, 403, "{stranger}");
    }
    assert_eq!(with_ticket(door, &spared, Some(allowed)).await.status, 200);
    // As a subprotocol, for clients that keep secrets out of addresses.
    let offered = format!("aura.desk.v1, ticket.{}", from_allowed().await);
    let headers = [("origin", allowed), ("sec-websocket-protocol", &*offered)];
    assert_eq!(dial(door, "/socket", &headers).await.status, 200);
    // A cookie alone opens no socket, whatever page it comes from.
    for headers in [vec![("cookie", &*cookie)], vec![("cookie", &*cookie), ("origin", allowed)]] {
        assert_eq!(dial(door, "/socket", &headers).await.status, 401);
    }
    for made_up in ["", "x", &"A".repeat(43), "%00"] {
        assert_eq!(with_ticket(door, made_up, Some(allowed)).await.status, 401, "{made_up}");
    }
}

#[actix_rt::test]
async fn a_machine_dials_with_its_token() {
    let running = Running::start(Options::default().few_manuals()).await;
    let token = issue(&store(&running).await, "crm", None, &["calls:read"]).await;
    let door = doors(&running);
    let bearer = format!("Bearer {token}");
    let opened = dial(door, "/socket", &[("authorization", &bearer)]).await;
    assert_eq!((opened.status, &*opened.body), (200, "token:crm"));
    let stranger = [("authorization", &*bearer), ("origin", "https://otro.example")];
    assert_eq!(dial(door, "/socket", &stranger).await.status, 403, "a page that got hold of it");
    // A ticket of its own is bound to no page.
    let ticket = send("POST", running.address(), "/tickets", &[("authorization", &bearer)], "").await;
    let ticket: serde_json::Value = serde_json::from_str(&ticket.body).unwrap();
    let ticket = ticket["ticket"].as_str().unwrap();
    assert_eq!(with_ticket(door, ticket, None).await.status, 200);
}

#[actix_rt::test]
async fn a_ticket_ends_after_half_a_minute_and_with_its_session() {
    let running = Running::start(Options::default().few_manuals()).await;
    add(&store(&running).await, "ana", "operator", PASSWORD).await;
    let cookie = sign_in(running.address(), "ana", PASSWORD).await;
    let value = cookie.split_once('=').unwrap().1;
    let accounts = running.service.as_ref().unwrap().accounts();
    let who = accounts.by_cookie(value).await.unwrap().expect("signed in");
    let origin = Some("https://aura.example");
    let ticket = || accounts.ticket(&who, origin.map(str::to_owned)).unwrap();
    let (early, late) = (ticket(), ticket());
    tokio::time::pause();
    tokio::time::advance(std::time::Duration::from_secs(29)).await;
    tokio::time::resume();
    assert!(accounts.by_ticket(&early, origin).await.unwrap().is_some(), "within 30 s");
    tokio::time::pause();
    tokio::time::advance(std::time::Duration::from_secs(2)).await;
    tokio::time::resume();
    assert!(accounts.by_ticket(&late, origin).await.unwrap().is_none(), "past 30 s");
    let orphan = ticket();
    from_page(running.address(), "DELETE", "/session", &cookie, "").await;
    assert!(accounts.by_ticket(&orphan, origin).await.unwrap().is_none(), "its session has ended");
    // I7: one session can't fill the memory.
    let kept = (0..100).filter(|_| accounts.ticket(&who, None).is_ok()).count();
    assert_eq!(kept, 16);
}

/// Every permission at a real door, for each role and each scope.
#[actix_rt::test]
async fn every_permission_for_every_role_and_scope() {
    let running = Running::start(Options::default().few_manuals()).await;
    let store = store(&running).await;
    let door = doors(&running);
    let mut callers = Vec::new();
    for role in Role::ALL {
        let id = add(&store, role.as_str(), role.as_str(), PASSWORD).await;
        let cookie = sign_in(running.address(), role.as_str(), PASSWORD).await;
        callers.push((("cookie", cookie), Some(role), None));
        for scope in [Scope::CallsRead, Scope::Settings] {
            let name = format!("{role}-{}", scope.as_str().replace(':', "-"));
            let token = issue(&store, &name, Some(id), &[scope.as_str()]).await;
            callers.push((("authorization", format!("Bearer {token}")), Some(role), Some(scope)));
        }
    }
    for scope in Scope::ALL {
        let token = issue(&store, &scope.as_str().replace(':', "-"), None, &[scope.as_str()]).await;
        callers.push((("authorization", format!("bearer {token}")), None, Some(scope)));
    }
    for ((header, value), role, scope) in &callers {
        for (number, permission) in Permission::ALL.into_iter().enumerate() {
            let by_role = role.is_none_or(|role| role.allows(permission));
            let by_scope = scope.is_none_or(|scope| scope.allows(permission));
            let answer = send("GET", door, &format!("/may/{number}"), &[(header, value)], "").await;
            let expected = if by_role && by_scope { 204 } else { 403 };
            assert_eq!(answer.status, expected, "{permission:?} for {role:?} {scope:?}: {answer:?}");
            if expected == 403 {
                assert!(answer.problem().contains(permission.about()), "{answer:?}");
            }
        }
    }
}

/// What a browser's session may change, by what the browser says of its page.
#[actix_rt::test]
async fn a_session_changes_nothing_from_a_page_that_is_not_ours() {
    let running = Running::start(Options::default().few_manuals()).await;
    add(&store(&running).await, "ana", "supervisor", PASSWORD).await;
    let cookie = sign_in(running.address(), "ana", PASSWORD).await;
    let door = doors(&running);
    let (own, upper) = (origin(door), origin(door).to_uppercase());
    let (same, cross) = (("sec-fetch-site", "same-origin"), ("sec-fetch-site", "cross-site"));
    let number = 4; // Permission::Supervise
    let cases: [(&[(&str, &str)], u16); 12] = [
        (&[("origin", &own)], 204),
        (&[("origin", &upper)], 204),
        (&[("origin", "https://aura.example")], 204),
        (&[same], 204),
        (&[("origin", "null"), same], 204),
        (&[("origin", "null")], 403),
        (&[("origin", "http://aura.example")], 403),
        (&[("origin", "https://otro.example"), same], 403),
        (&[("origin", "http://127.0.0.1:1")], 403),
        (&[cross], 403),
        (&[("sec-fetch-site", "same-site")], 403),
        (&[], 403),
    ];
    for (headers, expected) in cases {
        for method in ["POST", "PUT", "PATCH", "DELETE"] {
            let headers: Vec<_> = headers.iter().copied().chain([("cookie", &*cookie)]).collect();
            let answer = send(method, door, &format!("/may/{number}"), &headers, "").await;
            assert_eq!(answer.status, expected, "{method} {headers:?}");
        }
        let read = send("GET", door, &format!("/may/{number}"), &[("cookie", &cookie)], "").await;
        assert_eq!(read.status, 204, "reading is safe");
    }
}
