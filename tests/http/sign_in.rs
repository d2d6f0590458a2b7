//! Signing in, and whoever tries to without being who they say.
use crate::people::{PASSWORD, add, cookie, from_page, issue, sign_in, store, try_sign_in, who_am_i};
use crate::plain::{Response, send};
use crate::service::{Options, Running};
use crate::watch;
use argon2::password_hash::PasswordHasher;
use argon2::{Algorithm, Argon2, Params, Version};
use aura::account::{AccountName, Password};
use aura_actors::accounts::password::Passwords;
use serde_json::json;

async fn start() -> Running {
    Running::start(Options::default().few_manuals()).await
}

#[actix_rt::test]
async fn a_session_is_a_signed_cookie_that_scripts_and_other_sites_do_not_get() {
    let running = start().await;
    add(&store(&running).await, "ana", "operator", PASSWORD).await;
    let answer = try_sign_in(running.address(), "ana", PASSWORD, &[]).await;
    assert_eq!((answer.status, &*answer.body), (204, ""));
    let set = &answer.headers["set-cookie"];
    for part in ["aura_session=", "; Path=/", "; HttpOnly", "; SameSite=Strict", "; Max-Age=43200"] {
        assert!(set.contains(part), "{part} is missing in {set}");
    }
    assert!(!set.contains("Secure"), "nobody but this machine can listen: {set}");
    assert_eq!(answer.headers["cache-control"], "no-store");
    let cookie = cookie(&answer);
    let (status, who) = who_am_i(running.address(), &[("cookie", &cookie)]).await;
    assert_eq!((status, who), (200, json!({ "name": "ana", "role": "operator", "via": "session" })));
    let out = from_page(running.address(), "DELETE", "/session", &cookie, "").await;
    assert_eq!(out.status, 204);
    assert!(out.headers["set-cookie"].contains("Max-Age=0"), "{out:?}");
    assert_eq!(who_am_i(running.address(), &[("cookie", &cookie)]).await.0, 401, "at once");
}

#[actix_rt::test]
async fn a_cookie_is_secure_wherever_somebody_could_listen() {
    let behind = Options::default().few_manuals().set("AURA_TRUST_FORWARDED", true);
    let open = Options::default()
        .few_manuals()
        .set("AURA_LISTEN", "0.0.0.0:0")
        .set("PATIENT_LOOKUP_PROVIDER", "mock")
        .set("RETELL_SECRET", "s3creto");
    let tls = ("x-forwarded-proto", "http, https");
    for (options, header, secure) in [(behind, tls, true), (open, ("x-nothing", "1"), true)] {
        let running = Running::start(options).await;
        add(&store(&running).await, "ana", "operator", PASSWORD).await;
        let answer = try_sign_in(running.address(), "ana", PASSWORD, &[header]).await;
        assert_eq!(answer.headers["set-cookie"].ends_with("; Secure"), secure, "{answer:?}");
    }
    let running = start().await;
    add(&store(&running).await, "ana", "operator", PASSWORD).await;
    let answer = try_sign_in(running.address(), "ana", PASSWORD, &[tls]).await;
    assert!(!answer.headers["set-cookie"].contains("Secure"), "what isn't trusted isn't believed");
}

#[actix_rt::test]
async fn made_up_cookies_are_nobodys() {
    let running = start().await;
    let other = start().await;
    for running in [&running, &other] {
        add(&store(running).await, "ana", "operator", PASSWORD).await;
    }
    let cookie = sign_in(running.address(), "ana", PASSWORD).await;
    let (id, signature) = cookie.rsplit_once('.').unwrap();
    let flipped = |text: &str| match text.ends_with('A') {
        true => format!("{}B", &text[..text.len() - 1]),
        false => format!("{}A", &text[..text.len() - 1]),
    };
    let begins = |text: &str| if text.as_bytes()[20] == b'A' { "B" } else { "A" };
    let elsewhere = sign_in(other.address(), "ana", PASSWORD).await;
    for forged in [
        id.to_owned(),
        format!("{id}."),
        format!("{id}.{}", &signature[..signature.len() - 1]),
        format!("{id}.{}", &signature[..22]),
        format!("{id}.{}", flipped(signature)),
        format!("{}{}{}.{signature}", &id[..20], begins(id), &id[21..]),
        format!("{id}.{signature}.{signature}"),
        format!("{id}.{signature}="),
        format!("aura_session=.{signature}"),
        "aura_session=".to_owned(),
        "aura_session=\u{ff}".to_owned(),
        cookie.to_uppercase(),
        // Signed with the same key, but in another base.
        elsewhere,
    ] {
        assert_eq!(who_am_i(running.address(), &[("cookie", &forged)]).await.0, 401, "{forged}");
    }
    let beside = format!("aura_session=forged; {cookie}; aura_session=forged.too");
    assert_eq!(
        who_am_i(running.address(), &[("cookie", &beside)]).await.0,
        200,
        "a neighbour's cookie in front"
    );
}

/// The name, the password, a closed account, one without a password: one answer for all, and the same work.
#[actix_rt::test]
async fn a_refusal_tells_nothing() {
    let running = start().await;
    let store = store(&running).await;
    add(&store, "ana", "operator", PASSWORD).await;
    let closed = add(&store, "cerrada", "operator", PASSWORD).await;
    store.disable_account(closed).await.unwrap();
    store.add_account("nueva", "operator", None).await.unwrap();
    let accounts = running.service.as_ref().unwrap().accounts();
    let mut seen: Option<Response> = None;
    let long = "x".repeat(2000);
    for (name, password) in [
        ("ana", "no es esta la clave"),
        ("nadie", PASSWORD),
        ("cerrada", PASSWORD),
        ("nueva", PASSWORD),
        ("ana", &long),
        ("NO ES UN NOMBRE", PASSWORD),
    ] {
        let before = accounts.passwords().runs();
        let mut answer = try_sign_in(running.address(), name, password, &[]).await;
        assert_eq!(accounts.passwords().runs(), before + 1, "{name}: one hash, whoever it is");
        assert_eq!(answer.status, 401, "{name}");
        assert!(!answer.headers.contains_key("set-cookie"));
        answer.headers.remove("date");
        let seen = seen.get_or_insert_with(|| answer.clone());
        assert_eq!((&answer.headers, &answer.body), (&seen.headers, &seen.body), "{name}");
    }
    running.flush().await;
    let trail = journal(&running);
    for reason in ["wrong_password", "unknown_account", "disabled", "no_password"] {
        assert!(trail.contains(reason), "the trail tells them apart: {reason}");
    }
    assert!(!trail.contains("NO ES UN NOMBRE"), "what is no name isn't kept");
}

#[actix_rt::test]
async fn without_a_password_hash_the_same_work_is_done() {
    let passwords = Passwords::default();
    let ana = AccountName::parse("ana").unwrap();
    let password = Password::choose(&ana, PASSWORD).unwrap();
    let hash = passwords.hash(password.clone()).await.unwrap();
    assert!(hash.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"), "{hash}");
    let checked = passwords.check(Some(hash), Some(password.clone())).await.unwrap();
    assert!(checked.matches && !checked.outdated);
    assert!(!passwords.check(None, Some(password.clone())).await.unwrap().matches);
    assert!(!passwords.check(None, None).await.unwrap().matches);
    assert_eq!(passwords.runs(), 4);
    assert!(passwords.check(Some("no hash".to_owned()), Some(password)).await.is_err());
}

/// A password that was hashed with weaker parameters goes on, and is hashed anew when its owner signs in.
#[actix_rt::test]
async fn an_old_hash_is_renewed_at_sign_in() {
    let running = start().await;
    let store = store(&running).await;
    let weak = Argon2::new(Algorithm::Argon2id, Version::V0x13, Params::new(8192, 1, 1, None).unwrap());
    let old = weak.hash_password(Password::offered(PASSWORD).unwrap().expose()).unwrap().to_string();
    store.add_account("ana", "operator", Some(&old)).await.unwrap();
    let cookie = sign_in(running.address(), "ana", PASSWORD).await;
    assert_eq!(who_am_i(running.address(), &[("cookie", &cookie)]).await.0, 200);
    let renewed = store.account("ana").await.unwrap().unwrap().password_hash.unwrap();
    assert!(renewed.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"), "{renewed}");
    sign_in(running.address(), "ana", PASSWORD).await;
    assert_eq!(store.account("ana").await.unwrap().unwrap().password_hash.unwrap(), renewed, "once");
}

#[actix_rt::test]
async fn a_guesser_waits_even_with_the_right_password() {
    let running = start().await;
    let store = store(&running).await;
    add(&store, "ana", "operator", PASSWORD).await;
    add(&store, "eva", "operator", PASSWORD).await;
    for _ in 0..5 {
        assert_eq!(try_sign_in(running.address(), "ana", "no es esta la clave", &[]).await.status, 401);
    }
    // Three at once: by then the one second may have passed for one of them, never for all.
    let right = || try_sign_in(running.address(), "ana", "tampoco es esta", &[]);
    let answers = futures_util::future::join_all([right(), right(), right()]).await;
    let waits = answers.iter().find(|answer| answer.status == 429).expect("throttled");
    assert!(waits.headers["retry-after"].parse::<u32>().unwrap() >= 1, "{waits:?}");
    assert!(waits.problem().contains("too many"), "{waits:?}");
    sign_in(running.address(), "eva", PASSWORD).await;
}

#[actix_rt::test]
async fn a_session_that_was_foisted_on_a_browser_is_not_taken_over() {
    let running = start().await;
    let store = store(&running).await;
    add(&store, "mallory", "operator", PASSWORD).await;
    add(&store, "ana", "supervisor", PASSWORD).await;
    let planted = sign_in(running.address(), "mallory", PASSWORD).await;
    let answer = try_sign_in(running.address(), "ana", PASSWORD, &[("cookie", &planted)]).await;
    let own = cookie(&answer);
    assert_ne!(own, planted, "every sign-in has an id of its own");
    assert_eq!(who_am_i(running.address(), &[("cookie", &planted)]).await.0, 401, "the former one has ended");
    assert_eq!(who_am_i(running.address(), &[("cookie", &own)]).await.1["name"], "ana");
}

#[actix_rt::test]
async fn a_new_password_ends_all_that_the_old_one_gave() {
    const NEW: &str = "una clave nueva y larga";
    let running = start().await;
    let store = store(&running).await;
    let id = add(&store, "ana", "operator", PASSWORD).await;
    let (one, other) = (
        sign_in(running.address(), "ana", PASSWORD).await,
        sign_in(running.address(), "ana", PASSWORD).await,
    );
    let bearer = format!("Bearer {}", issue(&store, "de-ana", Some(id), &["calls:read"]).await);
    for headers in [[("cookie", &*other)], [("authorization", &*bearer)]] {
        assert_eq!(who_am_i(running.address(), &headers).await.0, 200, "and it is remembered");
    }
    let change = |current: &str, new: &str| json!({ "current": current, "new": new }).to_string();
    for (new, why) in [("corta", "12 or more"), ("ana", "12 or more")] {
        let weak = from_page(running.address(), "POST", "/password", &one, &change(PASSWORD, new)).await;
        assert_eq!(weak.status, 422);
        assert!(weak.problem().contains(why), "{weak:?}");
    }
    let changed = from_page(running.address(), "POST", "/password", &one, &change(PASSWORD, NEW)).await;
    assert_eq!(changed.status, 204, "{changed:?}");
    let fresh = cookie(&changed);
    for headers in [[("cookie", &*one)], [("cookie", &*other)], [("authorization", &*bearer)]] {
        assert_eq!(who_am_i(running.address(), &headers).await.0, 401, "at once: {headers:?}");
    }
    assert_eq!(who_am_i(running.address(), &[("cookie", &fresh)]).await.0, 200);
    assert_eq!(try_sign_in(running.address(), "ana", PASSWORD, &[]).await.status, 401);
    sign_in(running.address(), "ana", NEW).await;
}

#[actix_rt::test]
async fn i8_a_password_is_in_no_log_no_answer_and_not_in_the_journal() {
    watch::start();
    let [password, other] = watch::PASSWORDS;
    tracing::trace!(target: "planted", text = password);
    let running = start().await;
    add(&store(&running).await, "ana", "operator", password).await;
    let address = running.address();
    let mut answers = Vec::new();
    for (name, typed) in [("ana", password), ("ana", other), (other, other), ("nadie", other)] {
        answers.push(try_sign_in(address, name, typed, &[]).await);
    }
    let json = ("content-type", "application/json");
    for body in [
        format!("{{\"name\": \"ana\", \"password\": [\"{other}\"]}}"),
        format!("{{\"{other}\": \"ana\", \"password\": \"{other}"),
        format!("\"{other}\""),
    ] {
        let answer = send("POST", address, "/session", &[json], &body).await;
        assert_eq!(answer.status, 400);
        answers.push(answer);
    }
    let cookie = sign_in(address, "ana", password).await;
    running.cut_connections().await; // what the store says of an error is a line too
    let body = json!({ "current": password, "new": other }).to_string();
    answers.push(from_page(address, "POST", "/password", &cookie, &body).await);
    running.flush().await;
    let trail = journal(&running);
    assert!(trail.contains("sign_in_refused") && trail.contains("account:ana"), "the acts are there");
    for secret in [password, other] {
        assert!(!trail.contains(secret), "in the journal");
        assert!(answers.iter().all(|answer| !format!("{answer:?}").contains(secret)), "{answers:#?}");
    }
    let seen = watch::seen().passwords;
    assert_eq!(seen.len(), 1, "the planted line alone: {seen:#?}");
    assert!(seen[0].starts_with("planted"));
}

/// All that the journal holds on disk.
pub fn journal(running: &Running) -> String {
    let files = std::fs::read_dir(running.journal()).unwrap().map(|entry| entry.unwrap().path());
    files.map(|file| String::from_utf8_lossy(&std::fs::read(file).unwrap()).into_owned()).collect()
}

#[actix_rt::test]
async fn bodies_that_are_something_else_are_refused() {
    let running = start().await;
    let long = format!("{{\"name\":\"ana\",\"password\":\"{}\"}}", "x".repeat(9000));
    for (kind, body, status) in [
        ("application/json", &*long, 413),
        ("application/json", "", 400),
        ("application/json", "[]", 400),
        ("application/x-www-form-urlencoded", "name=ana&password=x", 415),
        ("text/plain", "{}", 415),
    ] {
        let answer = send("POST", running.address(), "/session", &[("content-type", kind)], body).await;
        assert_eq!(answer.status, status, "{kind} {body:.20}");
        answer.problem();
    }
}
