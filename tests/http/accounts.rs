//! Accounts over time: what ends with them, what another process changes, what holds while the database is away.
use crate::people::{PASSWORD, add, issue, sign_in, store, try_sign_in, who_am_i};
use crate::service::{Options, PATIENCE, Running};
use aura_actors::config::Config;
use std::time::Duration;
use tokio::time::{sleep, timeout};

async fn start() -> Running {
    Running::start(Options::default().few_manuals()).await
}

/// Waits until they are let in no more.
async fn refused(running: &Running, headers: &[(&str, &str)]) {
    let ended = async {
        while who_am_i(running.address(), headers).await.0 != 401 {
            sleep(Duration::from_millis(100)).await;
        }
    };
    timeout(PATIENCE, ended).await.expect("it ends");
}

#[actix_rt::test]
async fn what_another_process_ends_is_over_here_too() {
    let running = start().await;
    let store = store(&running).await;
    let id = add(&store, "ana", "operator", PASSWORD).await;
    let cookie = sign_in(running.address(), "ana", PASSWORD).await;
    let own = format!("Bearer {}", issue(&store, "de-ana", Some(id), &["calls:read"]).await);
    let machine = format!("Bearer {}", issue(&store, "crm", None, &["calls:read"]).await);
    let callers = [("cookie", &*cookie), ("authorization", &*own), ("authorization", &*machine)];
    for caller in callers {
        assert_eq!(who_am_i(running.address(), &[caller]).await.0, 200, "{caller:?}, and it is remembered");
    }
    assert_eq!(who_am_i(running.address(), &[callers[2]]).await.1["name"], "crm");
    store.disable_account(id).await.unwrap();
    refused(&running, &[callers[0]]).await;
    refused(&running, &[callers[1]]).await;
    assert_eq!(try_sign_in(running.address(), "ana", PASSWORD, &[]).await.status, 401);
    assert_eq!(who_am_i(running.address(), &[callers[2]]).await.0, 200, "nobody else's");
    store.enable_account(id).await.unwrap();
    for caller in &callers[..2] {
        assert_eq!(who_am_i(running.address(), &[*caller]).await.0, 401, "what ended stays ended");
    }
    sign_in(running.address(), "ana", PASSWORD).await;
    assert!(store.revoke_token("crm").await.unwrap());
    refused(&running, &[callers[2]]).await;
    assert!(!store.revoke_token("crm").await.unwrap(), "once");
}

#[actix_rt::test]
async fn a_session_ends_when_it_is_old_or_idle_and_use_keeps_it() {
    let running = start().await;
    add(&store(&running).await, "ana", "operator", PASSWORD).await;
    for (sql, expected) in [
        ("UPDATE account_sessions SET last_seen_at = now() - interval '59 minutes'", 200),
        ("UPDATE account_sessions SET last_seen_at = now() - interval '61 minutes'", 401),
        ("UPDATE account_sessions SET expires_at = now() - interval '1 second'", 401),
    ] {
        let cookie = sign_in(running.address(), "ana", PASSWORD).await;
        running.sql().batch_execute(sql).await.unwrap();
        assert_eq!(who_am_i(running.address(), &[("cookie", &cookie)]).await.0, expected, "{sql}");
    }
    let sql = "SELECT count(*) FROM account_sessions WHERE last_seen_at > now() - interval '5 minutes'";
    let seen: i64 = running.sql().query_one(sql, &[]).await.unwrap().get(0);
    assert!(seen > 0, "the one that was used isn't idle any more");
    // Whoever signs in next sweeps what has expired.
    sign_in(running.address(), "ana", PASSWORD).await;
    let sql = "SELECT count(*) FROM account_sessions WHERE expires_at <= now()";
    assert_eq!(running.sql().query_one(sql, &[]).await.unwrap().get::<_, i64>(0), 0);
}

#[actix_rt::test]
async fn secrets_are_in_the_database_as_hashes_alone() {
    let running = start().await;
    let store = store(&running).await;
    let id = add(&store, "ana", "operator", PASSWORD).await;
    let cookie = sign_in(running.address(), "ana", PASSWORD).await;
    let token = issue(&store, "de-ana", Some(id), &["calls:read"]).await;
    let link = aura_actors::accounts::password_link(&store, id).await.unwrap();
    let sql =
        "SELECT concat(string_agg(a::text, ''), (SELECT string_agg(s::text, '') FROM account_sessions s),
                             (SELECT string_agg(t::text, '') FROM account_tokens t),
                             (SELECT string_agg(l::text, '') FROM account_links l)) FROM accounts a";
    let all: String = running.sql().query_one(sql, &[]).await.unwrap().get(0);
    assert!(all.contains("$argon2id$") && all.contains("de-ana"), "{all}");
    let id = cookie.split_once('=').unwrap().1.split_once('.').unwrap().0;
    for secret in [PASSWORD, id, &token, &token[5..], link.split_once("token=").unwrap().1] {
        assert!(!all.contains(secret), "{secret} is in {all}");
    }
    let used: bool = {
        assert_eq!(
            who_am_i(running.address(), &[("authorization", &format!("Bearer {token}"))]).await.0,
            200
        );
        let sql = "SELECT last_used_at IS NOT NULL FROM account_tokens";
        running.sql().query_one(sql, &[]).await.unwrap().get(0)
    };
    assert!(used, "its last use is known");
}

/// FAULTS: the database goes and comes back. Whoever was known is let in, whoever wasn't is told to wait.
#[actix_rt::test]
async fn while_the_database_is_away_those_who_were_known_go_on() {
    let running = start().await;
    let store = store(&running).await;
    add(&store, "ana", "operator", PASSWORD).await;
    let token = issue(&store, "crm", None, &["calls:read"]).await;
    let (known, unknown) = (
        sign_in(running.address(), "ana", PASSWORD).await,
        sign_in(running.address(), "ana", PASSWORD).await,
    );
    assert_eq!(who_am_i(running.address(), &[("cookie", &known)]).await.0, 200);
    running.close_database(true).await;
    sleep(Duration::from_millis(3100)).await; // past what needs no question
    for _ in 0..3 {
        assert_eq!(who_am_i(running.address(), &[("cookie", &known)]).await.0, 200, "for five minutes");
    }
    let bearer = format!("Bearer {token}");
    for headers in [[("cookie", &*unknown)], [("authorization", &*bearer)]] {
        assert_eq!(who_am_i(running.address(), &headers).await.0, 503, "{headers:?}");
    }
    let refused = try_sign_in(running.address(), "ana", PASSWORD, &[]).await;
    assert_eq!(refused.status, 503);
    assert!(refused.headers.contains_key("retry-after") && refused.problem().contains("try again"));
    assert_eq!(who_am_i(running.address(), &[("cookie", "aura_session=x.y")]).await.0, 401, "without asking");
    running.close_database(false).await;
    let back = async {
        while who_am_i(running.address(), &[("cookie", &unknown)]).await.0 != 200 {
            sleep(Duration::from_millis(100)).await;
        }
    };
    timeout(PATIENCE, back).await.expect("it comes back");
}

#[test]
fn origins_are_read_as_browsers_write_them_and_others_refuse_to_start() {
    let read = |list: &str| {
        let list = list.to_owned();
        Config::read(&move |name| (name == "AURA_ORIGINS").then(|| list.clone()))
    };
    let origins =
        read("https://Aura.Example.org, http://10.0.0.5:8080,https://a.example:443 , http://[::1]:80")
            .unwrap();
    let expected = ["https://aura.example.org", "http://10.0.0.5:8080", "https://a.example", "http://[::1]"];
    assert_eq!(origins.origins, expected);
    assert!(origins.console(origins.listen).starts_with("https://aura.example.org"));
    for bad in
        ["aura.example", "*", "https://", "https://a/b", "https://a?b", "ftp://a", "https://u@a", "null"]
    {
        let error = read(bad).unwrap_err();
        assert_eq!((error.name, &*error.value), ("AURA_ORIGINS", bad));
    }
}
