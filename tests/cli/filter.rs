//! The filter works inside the SQL: what it lets through is what it admits, and as much of it as was asked for.
use crate::home::Home;
use serde_json::{Value, json};

/// How a patient says it, and the equipment on file; no text names a model.
const SAID: [(&str, &str, &str); 8] = [
    (
        "la manguerita está puesta pero no me llega nada de aire",
        "7F-5",
        "concentradores electricos/yuwell_7f5.md",
    ),
    ("no enciende y suena una alarma continua", "M50", "concentradores electricos/m50_sysmedm50.md"),
    ("el equipo dice Low O2", "Zen-O Lite", "concentradores portatiles/zen_o_lite.md"),
    ("me aparece E3 en la pantalla del equipo", "7F-5", "concentradores electricos/yuwell_7f5.md"),
    ("la batería no carga y se apaga enseguida", "EverFlo", "concentradores electricos/everflo.md"),
    ("hace mucho ruido y vibra bastante", "CP501", "concentradores electricos/cp501.md"),
    (
        "se prendió la luz roja y no deja de sonar",
        "LoveGo LG103",
        "concentradores portatiles/lovego_lg103.md",
    ),
    ("se prendió la luz amarilla hace un rato", "Nuvo Lite", "concentradores electricos/nuvo_lite.md"),
];

fn ask(crm: bool) -> Vec<Value> {
    let line = |(text, model, _): &(&str, &str, &str)| json!({"text": text, "crm": crm.then_some([model])});
    let batch: String = SAID.iter().map(|said| format!("{}\n", line(said))).collect();
    let file = Home::whole().write(if crm { "closed.jsonl" } else { "open.jsonl" }, batch);
    let said = Home::whole().run(&["ask", "--batch", &file]).good();
    said.lines().map(|line| serde_json::from_str(line).expect("an object")).collect()
}

fn foreign(answer: &Value, own: &str) -> usize {
    let rows = answer["candidates"].as_array().expect("rows").iter();
    let admitted = |source: &str| source == own || source.starts_with("cap/") || source.starts_with("tubos/");
    rows.filter(|row| !admitted(row["source"].as_str().expect("a source"))).count()
}

/// Red without the WHERE: then the filtered search would fetch what the open one does.
/// Red, too, where rows are left out after the search: then fewer than three would be left.
#[test]
fn r05_the_where_keeps_other_equipment_out() {
    let (open, closed) = (ask(false), ask(true));
    for (((_, _, own), open), closed) in SAID.iter().zip(&open).zip(&closed) {
        assert_eq!(open["sources"], Value::Null, "{open}");
        assert!(
            foreign(open, own) > 0,
            "a query that shows nothing: the open search finds only {own}: {open}"
        );
        assert_eq!(closed["sources"], json!([own]), "{closed}");
        assert_eq!(foreign(closed, own), 0, "another device's row came through: {closed}");
        assert_eq!(closed["candidates"].as_array().map(Vec::len), Some(3), "{closed}");
        assert_eq!(closed["threshold"], open["threshold"], "filtering never lowers the threshold (R8)");
    }
}

/// The prefixes are part of the same WHERE: what is nobody's equipment is found with any equipment on file.
#[test]
fn r05_the_prefixes_stay_open() {
    for crm in ["M50", "7F-5", "Zen-O Lite"] {
        let answer =
            Home::whole().run(&["ask", "cómo pido la recarga de oxígeno", "--crm", crm, "--json"]).json();
        assert_eq!(answer["candidates"][0]["source"], "cap/recarga.md", "{answer}");
        assert_eq!(answer["prefixes"], json!(["cap/", "tubos/"]));
    }
}
