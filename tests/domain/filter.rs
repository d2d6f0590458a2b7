//! The equipment filter as a value: what it admits and when there is none (R5, R6, R8, DECISIONS 4).
use super::fixture::*;
use aura::equipment::{Catalogue, ManualOf, Model};
use aura::retrieval::filter::{FilterReason, known_sources, resolve};
use std::collections::BTreeSet;

#[test]
fn r5_a_model_admits_its_own_manual_and_the_general_folders() {
    let (filter, reason) = resolve(&models(&["M50"]), Catalogue::builtin());
    let filter = filter.unwrap();
    assert_eq!(reason, FilterReason::Equipment { models: vec![Model::new("M50")] });
    for open in [M50, CAP, TUBOS, "cap/nuevo.md", "tubos/otra/carpeta.md"] {
        assert!(filter.admits(open), "{open}");
    }
    for closed in [
        YUWELL,
        CP501,
        INOGEN,
        "capitulo/x.md",
        "x/cap/y.md",
        "concentradores electricos/m50_sysmedm50.md.bak",
        "",
    ] {
        assert!(!filter.admits(closed), "{closed}");
    }
}

#[test]
fn r6_every_model_with_a_manual_leads_to_a_file_that_is_shipped() {
    let catalogue = Catalogue::builtin();
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("manuals");
    for model in catalogue.models() {
        if let ManualOf::Manual(source) = catalogue.manual_of(model) {
            assert!(root.join(source).is_file(), "{model}: {source}");
        }
    }
    let present = BTreeSet::from([M50.to_owned()]);
    let missing = catalogue.missing_sources(&present);
    assert!(missing.contains(&(Model::new("CP501"), CP501.to_owned())));
    assert!(!missing.iter().any(|(model, _)| model.as_str() == "M50" || model.as_str() == "CPAP"));
}

#[test]
fn r7_several_models_admit_the_union() {
    let (filter, _) = resolve(&models(&["M50", "7F-5"]), Catalogue::builtin());
    let filter = filter.unwrap();
    assert!(filter.admits(M50) && filter.admits(YUWELL) && !filter.admits(CP501));
}

#[test]
fn r8_nothing_known_no_manual_and_not_in_the_map_search_everything() {
    let catalogue = Catalogue::builtin();
    assert_eq!(resolve(&BTreeSet::new(), catalogue), (None, FilterReason::NothingKnown));
    for without in ["CPAP", "BiPAP"] {
        let model = Model::new(without);
        let open = (None, FilterReason::NoManual { model });
        assert_eq!(resolve(&models(&[without]), catalogue), open);
        assert_eq!(resolve(&models(&[without, "M50"]), catalogue), open, "with another model too");
    }
    let model = Model::new("8F-5");
    assert_eq!(resolve(&models(&["8F-5", "M50"]), catalogue), (None, FilterReason::NotInMap { model }));
}

#[test]
fn d4_known_sources_are_those_of_models_with_a_manual() {
    let catalogue = Catalogue::builtin();
    let sources = |known: &[&str], named: &[&str]| known_sources(&models(known), &models(named), catalogue);
    let set = |sources: &[&str]| sources.iter().map(|source| source.to_string()).collect::<BTreeSet<_>>();
    assert_eq!(sources(&["M50", "CP501"], &["CP501"]), set(&[M50, CP501]));
    assert_eq!(sources(&["M50", "CPAP"], &[]), set(&[M50]));
    assert_eq!(
        sources(&["M50", "CPAP"], &["CPAP"]),
        set(&[]),
        "a turn that names a CPAP gets no other's row"
    );
    assert_eq!(sources(&["M50", "8F-5"], &["8F-5"]), set(&[]));
}

#[test]
fn r8_a_search_that_is_open_keeps_the_threshold() {
    let mut line = Line::retell();
    line.patient("el CPAP me tira una alarma");
    let outputs = line.find([near(row(CAP, "Pedido", "Llame."), 0.59)]);
    assert_eq!(queried(&outputs)["reason"], "below_threshold");
    assert!((queried(&outputs)["knowledgeThreshold"].as_f64().unwrap() - 0.60).abs() < 1e-6);
    assert!(queried(&outputs)["knowledgeSources"].is_null());
}

#[test]
fn r8_a_device_outside_the_catalogue_opens_the_search() {
    let mut line = Line::retell();
    line.on_file(&["M50"]);
    let outputs = line.patient("tengo un 8F-5 que hace ruido");
    assert_eq!(sources(&outputs), None);
    assert_eq!(queried(&line.find([h08(0.9)]))["reason"], "other_equipment");
}

#[test]
fn r25_no_filter_knows_of_categories() {
    let (filter, _) = resolve(&models(&["M50"]), Catalogue::builtin());
    let text = serde_json::to_string(&filter.unwrap()).unwrap();
    assert!(!text.contains("categor"), "{text}");
}
