//! The one-time links: the first administrator, and passwords that their owners choose.
use crate::people::{PASSWORD, add, issue, origin, sign_in, store, try_sign_in, who_am_i};
use crate::plain::{Response, get, send};
use crate::service::{Options, Running};
use aura_actors::accounts::{password_link, setup_link};

async fn start() -> Running {
    Running::start(Options::default().few_manuals()).await
}

/// Sends the page's form.
async fn fill(running: &Running, link: &str, name: &str, password: &str, again: &str) -> Response {
    let token = link.split_once("token=").unwrap().1;
    let encode = |text: &str| text.bytes().map(|byte| format!("%{byte:02x}")).collect::<String>();
    let (name, password, again) = (encode(name), encode(password), encode(again));
    let body = format!("token={token}&name={name}&password={password}&again={again}");
    let origin = origin(running.address());
    let headers = [("content-type", "application/x-www-form-urlencoded"), ("origin", &origin)];
    send("POST", running.address(), "/setup", &headers, &body).await
}

#[actix_rt::test]
async fn the_first_administrator_is_made_once() {
    let running = start().await;
    let accounts = running.service.as_ref().unwrap().accounts();
    let link = accounts.first_setup_link().await.unwrap().expect("no account yet");
    assert!(accounts.first_setup_link().await.unwrap().is_none(), "shown once");
    let page = get(running.address(), &link, &[]).await;
    assert_eq!(page.status, 200);
    let policy = &page.headers["content-security-policy"];
    assert!(policy.contains("default-src 'none'") && policy.contains("frame-ancestors 'none'"), "{policy}");
    assert!(!policy.contains("unsafe"), "{policy}");
    assert_eq!(
        (&*page.headers["cache-control"], &*page.headers["referrer-policy"]),
        ("no-store", "same-origin")
    );
    for part in ["lang=es-AR", "Nombre de la cuenta", "Contraseña", "Guardar", "action=\"/setup\""] {
        assert!(page.body.contains(part), "{part}: {}", page.body);
    }
    assert!(!page.body.contains("src=") && !page.body.contains("http"), "nothing from elsewhere");
    for (name, password, again, why) in [
        ("adela", PASSWORD, "otra", "no coinciden"),
        ("adela", "corta", "corta", "12 caracteres"),
        ("adela-la-jefa", "Adela-la-jefa", "Adela-la-jefa", "nombre de la cuenta"),
        ("Ad", PASSWORD, PASSWORD, "minúsculas"),
        ("\"><script>", PASSWORD, PASSWORD, "minúsculas"),
    ] {
        let again = fill(&running, &link, name, password, again).await;
        assert_eq!(again.status, 422, "{why}");
        assert!(again.body.contains(why) && !again.body.contains("<script>"), "{why}: {}", again.body);
        assert!(!again.body.contains(password), "no password comes back");
    }
    // Two at once, each with the right link: one of them makes the account.
    let (one, other) = futures_util::future::join(
        fill(&running, &link, "adela", PASSWORD, PASSWORD),
        fill(&running, &link, "berta", PASSWORD, PASSWORD),
    )
    .await;
    let mut statuses = [one.status, other.status];
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 403], "{one:?} {other:?}");
    let name = if one.status == 200 { "adela" } else { "berta" };
    let cookie = sign_in(running.address(), name, PASSWORD).await;
    assert_eq!(who_am_i(running.address(), &[("cookie", &cookie)]).await.1["role"], "administrator");
    let used = get(running.address(), &link, &[]).await;
    assert_eq!(used.status, 403);
    assert!(used.body.contains("ya no sirve"), "{}", used.body);
    assert!(setup_link(&store(&running).await, false).await.unwrap().is_none(), "there is an account");
}

#[actix_rt::test]
async fn a_set_up_link_ends_with_its_day_a_newer_one_or_the_first_account() {
    let running = start().await;
    let store = store(&running).await;
    let made = || async { setup_link(&store, false).await.unwrap().expect("no account yet") };
    let status = |link: String| {
        let address = running.address();
        async move { get(address, &link, &[]).await.status }
    };
    let first = made().await;
    let second = made().await;
    assert_eq!((status(first).await, status(second.clone()).await), (403, 200), "the newer one replaces it");
    running.sql().batch_execute("UPDATE account_links SET expires_at = now()").await.unwrap();
    assert_eq!(status(second.clone()).await, 403, "expired");
    assert_eq!(fill(&running, &second, "adela", PASSWORD, PASSWORD).await.status, 403);
    let third = made().await;
    add(&store, "ana", "operator", PASSWORD).await;
    assert_eq!(fill(&running, &third, "adela", PASSWORD, PASSWORD).await.status, 403, "there is an account");
    assert!(store.account("adela").await.unwrap().is_none());
    for made_up in ["/setup", "/setup?token=", "/setup?token=%3Cscript%3E", "/setup?token=x&token=y"] {
        let page = get(running.address(), made_up, &[]).await;
        assert_eq!(page.status, 403, "{made_up}");
        assert!(!page.body.contains("<script"), "{}", page.body);
    }
    let foreign = [("content-type", "application/x-www-form-urlencoded"), ("origin", "https://otro.example")];
    assert_eq!(send("POST", running.address(), "/setup", &foreign, "token=x").await.status, 403);
}

#[actix_rt::test]
async fn an_accounts_link_sets_its_password_and_ends_all_else() {
    const NEW: &str = "una que yo elegí sola";
    let running = start().await;
    let store = store(&running).await;
    let id = add(&store, "ana", "operator", PASSWORD).await;
    let cookie = sign_in(running.address(), "ana", PASSWORD).await;
    let bearer = format!("Bearer {}", issue(&store, "de-ana", Some(id), &["calls:read"]).await);
    let (replaced, link) =
        (password_link(&store, id).await.unwrap(), password_link(&store, id).await.unwrap());
    assert_eq!(get(running.address(), &replaced, &[]).await.status, 403);
    let page = get(running.address(), &link, &[]).await;
    assert!(page.body.contains("<b>ana</b>") && !page.body.contains("name=name"), "{}", page.body);
    assert_eq!(who_am_i(running.address(), &[("cookie", &cookie)]).await.0, 200, "a link alone ends nothing");
    // The name in the form is nobody's business here.
    assert_eq!(fill(&running, &link, "eva", NEW, NEW).await.status, 200);
    for headers in [[("cookie", &*cookie)], [("authorization", &*bearer)]] {
        assert_eq!(who_am_i(running.address(), &headers).await.0, 401);
    }
    assert_eq!(try_sign_in(running.address(), "ana", PASSWORD, &[]).await.status, 401);
    sign_in(running.address(), "ana", NEW).await;
    assert_eq!(fill(&running, &link, "ana", PASSWORD, PASSWORD).await.status, 403, "once");
    let of_closed = password_link(&store, id).await.unwrap();
    store.disable_account(id).await.unwrap();
    assert_eq!(get(running.address(), &of_closed, &[]).await.status, 403, "its account is closed");
}
