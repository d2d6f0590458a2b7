//! A deployment's own catalogue: what is accepted, and how a broken one is refused.

use aura::equipment::{Catalogue, CatalogueError};

const SMALL: &str = r#"
always_allowed = ["cap/"]
[words]
M = ["m"]
[codes]
E = ["e"]
H = ["h"]
known = ["E1"]
[[model]]
name = "M50"
source = "a.md"
variants = ["{M} {50}"]
[[model]]
name = "CPAP"
no_manual = true
variants = ["cpap"]
[[ambiguous]]
name = "m"
candidates = ["M50"]
exact = ["eme"]
"#;

#[test]
fn a_deployment_may_bring_its_own_catalogue() {
    let catalogue = Catalogue::parse(SMALL).expect("a catalogue");
    assert_eq!(catalogue.normalise("el m 50 y el cpap").text, "el M50 y el CPAP");
    assert_eq!(catalogue.candidates("m"), ["M50"]);
    assert_eq!(catalogue.candidates("x"), [] as [String; 0]);
}

#[test]
fn a_broken_catalogue_is_refused_with_line_and_entry() {
    let broken = |from: &str, to: &str| {
        assert!(SMALL.contains(from));
        Catalogue::parse(&SMALL.replace(from, to)).err().map(|error| error.to_string()).unwrap_or_default()
    };
    for (from, to, said) in [
        (
            "[\"cpap\"]",
            "[\"cpap\", \"m 50\", \"m cincuenta\", \"{M} {50}\"]",
            "line 16: \"{M} {50}\" of \"CPAP\" is already a spelling of \"M50\"",
        ),
        ("\"a.md\"", "\" \"", "line 10: the model \"M50\" needs"),
        ("no_manual = true", "no_manual = false", "line 14: the model \"CPAP\" needs"),
        ("\"cap/\"", "\"cap\"", "line 2: the prefix \"cap\""),
        ("\"cap/\"", "\"/\"", "line 2: the prefix \"/\""),
        ("{M} {50}", "{Q} {50}", "line 12: the variant \"{Q} {50}\" of \"M50\" uses {Q}"),
        ("{M} {50}", "{M {50}", "without a closing"),
        ("{M} {50}", "m+50", "line 12: the variant \"m+50\""),
        ("{M} {50}", "{M} {5000}", "below 1000"),
        ("{M} {50}", "", "is empty"),
        ("{M} {50}", "m?", "is empty"),
        ("[\"cpap\"]", "[]", "line 14: \"CPAP\" has no variants"),
        ("\"CPAP\"", "\"M50\"", "line 14"),
        ("candidates = [\"M50\"]", "candidates = [\"M51\"]", "line 19: \"M51\", candidate of \"m\""),
        ("\"E1\"", "\"F1\"", "line 8: \"F1\""),
        ("source = ", "sauce = ", "sauce"),
        ("[codes]", "[codes", "can't be read"),
    ] {
        let error = broken(from, to);
        assert!(error.contains(said), "{to:?}: {error:?}, wanted {said:?}");
    }
    assert!(matches!(Catalogue::parse(""), Err(CatalogueError::Toml(_))));
}
