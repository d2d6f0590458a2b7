//! `aura calibrate`: the sweeps, the list of what went wrong, and the constants of the local model's scale.
use crate::home::Home;
use crate::public_set;
use aura::retrieval::score::fitted;

/// One line of a sweep.
#[derive(Debug)]
struct Line {
    threshold: f64,
    right: usize,
    wrong_equipment: usize,
    wrong_section: usize,
    asked: (usize, usize),
    missed: (usize, usize),
    gate: (usize, usize),
}

fn pair(total: &str, part: &str) -> (usize, usize) {
    (total.parse().unwrap(), part.trim_matches(['(', ')']).parse().unwrap())
}

fn interval(text: &str, hits: usize) {
    let (low, high) = text.split_once('–').unwrap();
    let (low, high): (f64, f64) = (low.parse().unwrap(), high.parse().unwrap());
    let share = hits as f64 / 22.0;
    assert!(0.0 <= low && low <= share + 0.005 && share <= high + 0.005 && high <= 1.0, "{text} of {hits}");
    assert!(high - low > 0.1, "22 queries prove no more than that: {text}");
}

fn line(text: &str) -> Line {
    let cells: Vec<&str> = text.split_whitespace().collect();
    assert_eq!(cells.len(), 12, "{text}");
    let (equipment, section) = cells[4].trim_matches(['(', ')']).split_once('/').unwrap();
    let line = Line {
        threshold: cells[0].parse().unwrap(),
        right: cells[1].parse().unwrap(),
        wrong_equipment: equipment.parse().unwrap(),
        wrong_section: section.parse().unwrap(),
        asked: pair(cells[6], cells[7]),
        missed: pair(cells[8], cells[9]),
        gate: pair(cells[10], cells[11]),
    };
    let wrong = line.wrong_equipment + line.wrong_section;
    assert_eq!(cells[3].parse::<usize>().unwrap(), wrong, "{text}");
    interval(cells[2], line.right);
    interval(cells[5], wrong);
    let all = line.right + wrong + line.asked.0 + line.missed.0 + line.gate.0;
    assert_eq!(all, 22, "every query is counted once: {text}");
    line
}

fn sweep(said: &str, heading: &str) -> Vec<Line> {
    let part = said.split(&format!("{heading}\n")).nth(1).unwrap_or_else(|| panic!("no {heading}: {said}"));
    let lines: Vec<Line> = part.lines().skip(1).take_while(|text| !text.is_empty()).map(line).collect();
    let thresholds: Vec<f64> = lines.iter().map(|line| line.threshold).collect();
    assert_eq!(thresholds, [0.4, 0.45, 0.5, 0.55, 0.6, 0.65, 0.7], "the sweep");
    lines
}

#[test]
fn r31_the_filter_ends_wrong_equipment_at_every_threshold() {
    let said = Home::whole().run(&["calibrate"]).good();
    println!("{said}");
    let (without, with) = (sweep(&said, "WITHOUT the filter"), sweep(&said, "WITH the filter"));
    for (without, with) in without.iter().zip(&with) {
        assert_eq!(with.wrong_equipment, 0, "with the filter, at {}", with.threshold);
        assert!(without.wrong_equipment > 0, "a set without foreign answers shows nothing: {without:?}");
        assert!(with.right >= without.right, "{with:?} {without:?}");
    }
    assert_eq!(with[3].asked, (2, 0), "asked where the equipment is unknown, and only there");
}

/// R31: what went wrong at the threshold in force is listed by id with its reason; nothing else is.
#[test]
fn r31_each_wrong_answer_is_listed_with_its_reason() {
    let said = Home::whole().run(&["calibrate"]).good();
    let at = sweep(&said, "WITH the filter").remove(3);
    let listed: Vec<&str> = said.split("With the filter, at 0.55").nth(1).unwrap().lines().skip(1).collect();
    let queries = public_set::queries();
    for line in &listed {
        let (id, rest) = line.trim().split_once(' ').unwrap();
        let query =
            queries.iter().find(|query| query.id == id).unwrap_or_else(|| panic!("no query {id}: {line}"));
        assert!(rest.contains(&query.text), "{line}");
        let reason = rest.rsplit("»: ").next().unwrap();
        assert!(["WRONG", "asked", "missed"].iter().any(|word| reason.starts_with(word)), "{line}");
    }
    let count = |word: &str| listed.iter().filter(|line| line.contains(&format!("»: {word}"))).count();
    assert_eq!(count("WRONG"), at.wrong_equipment + at.wrong_section, "{said}");
    assert_eq!(count("missed"), at.missed.1, "{said}");
    assert_eq!(count("asked"), at.asked.1, "{said}");
    // What `aura ask` answers is what is measured.
    let answers = public_set::answers(&queries);
    let hits = answers.iter().filter(|answer| answer["outcome"] == "hit").count();
    assert_eq!(hits, at.right + at.wrong_equipment + at.wrong_section, "{said}");
}

/// DECISIONS 1: the shipped constants are what the fit gives on the shipped set.
#[test]
fn d1_the_fit_gives_the_shipped_constants() {
    let said = Home::whole().run(&["calibrate", "tests/data/queries_fit.json", "--fit"]).good();
    println!("{said}");
    let value = |key: &str| {
        let found = said.lines().find_map(|line| line.strip_prefix(&format!("{key} = ")));
        found.unwrap_or_else(|| panic!("no {key}: {said}")).trim_matches('"').to_owned()
    };
    let number = |key| value(key).parse::<f64>().unwrap();
    let shipped =
        fitted().iter().find(|shipped| shipped.model == value("model")).expect("constants of this model");
    for (key, shipped) in [("slope", shipped.slope), ("intercept", shipped.intercept)] {
        let off = (number(key) - shipped).abs() / shipped.abs();
        assert!(off < 0.01, "{key}: {} fitted, {shipped} shipped", number(key));
    }
    assert_eq!(number("n"), shipped.n as f64, "on as many queries");
    assert!(shipped.slope > 0.0, "a score never falls as the cosine rises");
}

#[test]
fn a_set_without_both_answers_has_no_fit() {
    let set = r#"{"queries": [{"id": "a", "text": "suena una alarma seguida", "channel": "retell", "outcome": "miss"}]}"#;
    let file = Home::whole().write("one.json", set);
    Home::whole().run(&["calibrate", &file, "--fit"]).refused(&["needs both right and wrong"]);
}
