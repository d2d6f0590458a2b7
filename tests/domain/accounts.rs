//! Roles, scopes, names, passwords, and whoever guesses them.
use aura::account::{
    AccountName, BadName, Password, Permission, Rights, Role, Scope, Throttle, WeakPassword,
};
use std::net::IpAddr;
use std::time::{Duration, Instant};

/// The whole table, written out a second time on purpose: a change of either is a decision.
#[test]
fn r14_who_may_do_what() {
    let rows = [
        (Permission::SeeCalls, [true, true, false], Some("calls:read")),
        (Permission::ActOnCalls, [true, true, false], Some("calls:act")),
        (Permission::SeeEquipment, [true, true, false], Some("patient:read")),
        (Permission::Identify, [true, true, false], Some("patient:write")),
        (Permission::Supervise, [false, true, false], Some("supervise")),
        (Permission::Settings, [false, false, true], Some("settings")),
        (Permission::Prompts, [false, false, true], Some("prompts")),
        (Permission::Accounts, [false, false, true], None),
        (Permission::Metrics, [false, true, true], Some("metrics")),
    ];
    assert_eq!(rows.map(|(permission, ..)| permission), Permission::ALL);
    for (permission, expected, scope) in rows {
        let allowed =
            [Role::Operator, Role::Supervisor, Role::Administrator].map(|role| role.allows(permission));
        assert_eq!(allowed, expected, "{permission:?}");
        for of in Scope::ALL {
            assert_eq!(of.allows(permission), scope == Some(of.as_str()), "{permission:?} {of}");
        }
    }
}

#[test]
fn a_persons_token_brings_no_more_than_both_role_and_scopes() {
    let scopes = vec![Scope::CallsRead, Scope::Settings];
    let operators = Rights::Within(Role::Operator, scopes.clone());
    assert!(operators.allow(Permission::SeeCalls));
    assert!(!operators.allow(Permission::Settings), "the role lacks it");
    assert!(!operators.allow(Permission::SeeEquipment), "the scopes lack it");
    let machines = Rights::Machine(scopes);
    assert!(machines.allow(Permission::Settings) && !machines.allow(Permission::ActOnCalls));
    assert_eq!((operators.role(), machines.role()), (Some(Role::Operator), None));
    assert!(Permission::ALL.iter().all(|permission| !Rights::Machine(vec![]).allow(*permission)));
}

#[test]
fn names_of_roles_and_scopes_are_read_back_and_others_are_refused() {
    for role in Role::ALL {
        assert_eq!(Role::parse(role.as_str()), Ok(role));
    }
    for scope in Scope::ALL {
        assert_eq!(Scope::parse(scope.as_str()), Ok(scope));
        let refused = Scope::parse("calls").unwrap_err().to_string();
        assert!(refused.contains("'calls'") && refused.contains(scope.as_str()), "{refused}");
    }
    let refused = Role::parse("root").unwrap_err().to_string();
    assert!(Role::ALL.iter().all(|role| refused.contains(role.as_str())), "{refused}");
}

#[test]
fn account_names_are_short_and_plain() {
    for good in ["ana", "a1", "juan.perez", "turno_noche-2", &"a".repeat(40)] {
        assert_eq!(AccountName::parse(good).unwrap().as_str(), good);
    }
    for (bad, why) in [("", 0), ("a", 1), (&*"a".repeat(41), 41), ("ñ", 1)] {
        assert_eq!(AccountName::parse(bad), Err(BadName::Length(why)), "{bad}");
    }
    for bad in ["Ana", "josé", "ana ", "a\nb", "-rf", ".a", "a/b", "a'b", "ana\0", "аna"] {
        assert_eq!(AccountName::parse(bad), Err(BadName::Letters), "{bad:?}");
    }
    // Somebody's document, typed into the wrong field.
    assert_eq!(AccountName::parse("23456789"), Err(BadName::Letters));
    assert_eq!(AccountName::parse("dni-23.456.789"), Err(BadName::Figures));
}

#[test]
fn passwords_are_long_enough_normal_and_never_shown() {
    let ana = AccountName::parse("ana-de-la-noche").unwrap();
    assert_eq!(Password::choose(&ana, "corta"), Err(WeakPassword::Short(5)));
    assert_eq!(Password::choose(&ana, "Ana-De-La-Noche"), Err(WeakPassword::Name));
    assert_eq!(Password::choose(&ana, &"x".repeat(129)), Err(WeakPassword::Long));
    assert!(Password::choose(&ana, &"ñ".repeat(128)).is_ok(), "characters count, not bytes");
    assert!(Password::choose(&ana, "once letras").is_err() && Password::choose(&ana, "doce letras!").is_ok());
    // The same keys on another keyboard: ñ composed and decomposed.
    let (one, other) = ("ma\u{f1}ana con mate", "man\u{303}ana con mate");
    let same = Password::offered(one).unwrap();
    assert_eq!(same.expose(), Password::offered(other).unwrap().expose());
    assert_eq!(format!("{same:?}"), "***");
    assert_eq!(Password::offered(&"n\u{303}".repeat(128)).map(|it| it.expose().len()), Some(256));
    assert_eq!(Password::offered(&"x".repeat(1_000_000)), None, "no work is done on a text without end");
}

struct Rig {
    throttle: Throttle,
    now: Instant,
}

impl Rig {
    fn new() -> Self {
        Self { throttle: Throttle::default(), now: Instant::now() }
    }

    /// Tries; answers the seconds to wait, 0 where the try was admitted.
    fn attempt(&mut self, account: &str, address: &str) -> u64 {
        let account = AccountName::parse(account).unwrap();
        let address: IpAddr = address.parse().unwrap();
        let admitted = self.throttle.admit(Some(&account), Some(address), self.now);
        admitted.err().map_or(0, |wait| wait.0.as_secs())
    }

    fn succeed(&mut self, account: &str, address: &str) {
        let address: IpAddr = address.parse().unwrap();
        self.throttle.succeeded(&AccountName::parse(account).unwrap(), Some(address));
    }

    fn pass(&mut self, seconds: u64) {
        self.now += Duration::from_secs(seconds);
    }
}

#[test]
fn the_sixth_try_waits_and_each_failure_doubles_the_wait_up_to_five_minutes() {
    let mut rig = Rig::new();
    let address = |n: u32| format!("192.0.2.{n}");
    for n in 0..5 {
        assert_eq!(rig.attempt("ana", &address(n)), 0, "try {n}");
    }
    for (n, expected) in (5..).zip([1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300]) {
        assert_eq!(rig.attempt("ana", &address(n)), expected, "whatever the address");
        assert_eq!(rig.attempt("eva", &address(200)), 0, "another account, another address");
        rig.succeed("eva", &address(200));
        rig.pass(expected - 1);
        assert_eq!(rig.attempt("ana", &address(n)), 1, "a refused try neither counts nor lengthens");
        rig.pass(1);
        assert_eq!(rig.attempt("ana", &address(n)), 0);
    }
    rig.pass(15 * 60);
    for n in 0..5 {
        assert_eq!(rig.attempt("ana", &address(n)), 0, "forgotten after 15 minutes; try {n}");
    }
    assert_eq!(rig.attempt("ana", &address(9)), 1);
}

#[test]
fn a_success_clears_the_account_but_not_the_address() {
    let mut rig = Rig::new();
    for n in 0..20 {
        assert_eq!(rig.attempt(&format!("victim{n}"), "192.0.2.1"), 0);
    }
    assert_eq!(rig.attempt("mallory", "192.0.2.1"), 1, "twenty failures of one address");
    rig.pass(1);
    assert_eq!(rig.attempt("mallory", "192.0.2.1"), 0);
    rig.succeed("mallory", "192.0.2.1");
    assert_eq!(rig.attempt("mallory", "192.0.2.1"), 1, "an account of their own doesn't help");
    // The account's own failures are gone.
    for n in 0..4 {
        assert_eq!(rig.attempt("ana", &format!("198.51.100.{n}")), 0);
    }
    rig.succeed("ana", "198.51.100.3");
    for n in 0..5 {
        assert_eq!(rig.attempt("ana", &format!("198.51.100.{n}")), 0, "try {n}");
    }
}

#[test]
fn of_many_tries_at_once_no_more_are_admitted() {
    let mut rig = Rig::new();
    let admitted =
        (0..1000).filter(|n| rig.attempt("ana", &format!("10.0.{}.{}", n / 250, n % 250)) == 0).count();
    assert_eq!(admitted, 5);
}

#[test]
fn addresses_of_one_ipv6_network_are_one_and_a_mapped_one_is_its_ipv4() {
    let mut rig = Rig::new();
    for n in 0..20 {
        assert_eq!(rig.attempt(&format!("a{n}"), &format!("2001:db8:1:2::{n:x}")), 0);
    }
    assert_eq!(rig.attempt("b1", "2001:db8:1:2:ffff::1"), 1);
    assert_eq!(rig.attempt("b1", "2001:db8:1:3::1"), 0);
    for n in 0..20 {
        assert_eq!(rig.attempt(&format!("c{n}"), "192.0.2.7"), 0);
    }
    assert_eq!(rig.attempt("d1", "::ffff:192.0.2.7"), 1);
}

#[test]
fn i7_memory_is_bounded_and_the_oldest_are_forgotten_first() {
    let mut rig = Rig::new();
    for _ in 0..5 {
        rig.attempt("first", "192.0.2.1");
    }
    for n in 0..10_200_u32 {
        rig.pass(u64::from(n % 100 == 0));
        rig.attempt(&format!("name{n}"), &IpAddr::from(n.to_be_bytes()).to_string());
        for (n, seconds) in [1, 2, 4, 8, 16].into_iter().enumerate().filter(|_| n == 9_000) {
            rig.pass(seconds);
            assert_eq!(rig.attempt("first", &format!("192.0.2.{}", 200 + n)), 0);
        }
    }
    assert_eq!(rig.throttle.remembered(), (10_000, 10_000));
    assert!(rig.attempt("first", "192.0.2.211") > 0, "the one that failed lately is remembered");
    assert_eq!(rig.attempt("name0", "192.0.2.212"), 0);
    rig.pass(15 * 60);
    rig.attempt("later", "192.0.2.213");
    assert_eq!(rig.throttle.remembered(), (1, 1), "what is stale makes room at once");
}
