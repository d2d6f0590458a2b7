//! What the doctor makes of numbers that no test machine can be brought to.
use aura_actors::doctor::machine::{descriptors, disk, secrets};
use aura_actors::doctor::{Check, Report, Verdict, clock};
use aura_actors::secret::Secret;
use std::path::Path;

#[test]
fn little_room_is_a_warning_and_hardly_any_a_failure() {
    for (free, verdict) in [
        (0, Verdict::Failure),
        (199_999_999, Verdict::Failure),
        (200_000_000, Verdict::Warning),
        (1_999_999_999, Verdict::Warning),
        (2_000_000_000, Verdict::Ok),
        (u64::MAX, Verdict::Ok),
    ] {
        assert_eq!(disk(Path::new("/srv"), free).verdict, verdict, "{free}");
    }
}

#[test]
fn four_open_files_a_call() {
    assert_eq!(descriptors(Some(8000), 2000).verdict, Verdict::Ok);
    let few = descriptors(Some(7999), 2000);
    assert_eq!(few.verdict, Verdict::Warning);
    assert!(few.advice.is_some_and(|advice| advice.contains("LimitNOFILE=8000")));
    assert_eq!(descriptors(None, usize::MAX).verdict, Verdict::Ok);
}

#[test]
fn clocks_may_differ_by_two_seconds_and_must_know_the_year() {
    let now = 1_764_000_000.0;
    for (system, database, verdict) in [
        (now, now, Verdict::Ok),
        (now, now + 2.0, Verdict::Ok),
        (now, now + 2.1, Verdict::Warning),
        (now, now - 3600.0, Verdict::Warning),
        (0.0, 0.0, Verdict::Failure),
        (1_735_689_599.0, now, Verdict::Failure),
    ] {
        assert_eq!(clock(system, database).verdict, verdict, "{system} {database}");
    }
}

#[test]
fn of_two_secrets_the_weak_one_counts() {
    let open = "0.0.0.0:8080".parse().unwrap();
    let both = [Secret::new("0f3a9c7be1d248651a2b"), Secret::new("corta")];
    assert_eq!(secrets(&both[..1], open).verdict, Verdict::Ok);
    let check = secrets(&both, open);
    assert_eq!(check.verdict, Verdict::Failure);
    assert!(check.found.starts_with("1 of 2") && !check.found.contains("corta"), "{}", check.found);
    assert_eq!(secrets(&[], open).verdict, Verdict::Failure);
    assert_eq!(secrets(&[], "[::1]:8080".parse().unwrap()).verdict, Verdict::Ok);
}

#[test]
fn the_worst_check_is_the_reports() {
    let mut report = Report::default();
    assert_eq!(report.verdict(), Verdict::Ok);
    report.add(Check::ok("one", "fine"));
    report.add(Check::warning("two", "so so", "look at it"));
    assert_eq!(report.verdict(), Verdict::Warning);
    report.extend([Check::failure("three", "broken", "mend it"), Check::ok("four", "fine")]);
    assert_eq!(report.verdict(), Verdict::Failure);
    let text = report.to_string();
    assert!(text.contains("to do: mend it") && text.ends_with("4 checks, 1 failures, 1 warnings"), "{text}");
    assert_eq!(report.to_json()["checks"][2]["check"], "three");
}
