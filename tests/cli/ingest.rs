//! `aura ingest`: what is new, changed, gone and broken, told to a person.
use crate::home::Home;

const M50: &str = "concentradores electricos/m50_sysmedm50.md";

#[test]
fn again_everything_is_unchanged() {
    for extra in [&[][..], &["--dry-run"]] {
        let said = Home::whole().run(&[&["ingest", "manuals"], extra].concat()).good();
        let files: Vec<&str> = said.lines().filter(|line| line.contains(".md")).collect();
        assert_eq!(files.len(), 14, "{said}");
        assert!(files.iter().all(|line| line.starts_with("unchanged")), "{said}");
        assert!(
            said.contains("0 new, 0 changed, 14 unchanged, 0 gone, 0 broken; 116 rows before, 116"),
            "{said}"
        );
    }
}

#[test]
fn a_dry_run_shows_the_difference_and_writes_nothing() {
    let home = Home::small("dry");
    let dry = || home.run(&["ingest", &home.folder(), "--dry-run"]).good();
    home.manual(M50, &[("Código en Pantalla: H08", "Otra frase."), ("Sin imagen", "Apague y encienda.")]);
    home.manual("tubos/nuevo.md", &[("Válvula", "Cierre la válvula.")]);
    let first = dry();
    for line in [&*format!("changed    {M50} (1 rows before, 2 now)"), "new        tubos/nuevo.md (1 rows)"] {
        assert!(first.contains(line), "{line}: {first}");
    }
    assert!(first.contains("without --dry-run"), "{first}");
    assert_eq!(dry(), first, "nothing was written");
    let real = home.run(&["ingest", &home.folder()]).good();
    assert!(real.contains("1 new, 1 changed, 1 unchanged, 0 gone, 0 broken; 2 rows before, 4 now"), "{real}");
    assert!(dry().contains("0 new, 0 changed, 3 unchanged"));
}

#[test]
fn a_broken_file_is_named_with_its_line_and_the_rest_goes_in() {
    let home = Home::small("broken");
    home.write("manuals/tubos/sin_titulos.md", "Un texto sin ningún título.\n");
    home.write("manuals/tubos/vacia.md", "# Tubo\n\n## Alarmas\n\n### Sin texto\n\n### Otra\nDice algo.\n");
    home.write("manuals/tubos/bytes.md", b"# Tubo\n\n## Alarmas\n\n### Una\nDice \xff algo.\n");
    home.manual("tubos/sano.md", &[("Válvula", "Cierre la válvula.")]);
    let said = home.run(&["ingest", &home.folder()]);
    assert_eq!(said.code, Some(1), "a broken file is no success: {}", said.out);
    for line in [
        "broken     tubos/sin_titulos.md: line 1: no title",
        "broken     tubos/vacia.md: line 5: row 'Sin texto' is empty",
        "broken     tubos/bytes.md: line 6: not UTF-8",
        "new        tubos/sano.md (1 rows)",
        "1 new, 0 changed, 2 unchanged, 0 gone, 3 broken",
    ] {
        assert!(said.out.contains(line), "{line}: {}", said.out);
    }
    let answer = home.run(&["ask", "cómo cierro la válvula", "--json"]).json();
    let found = answer["candidates"].as_array().unwrap().iter().any(|row| row["source"] == "tubos/sano.md");
    assert!(found, "{answer}");
}

#[test]
fn vanished_files_stay_until_pruned() {
    let home = Home::small("prune");
    std::fs::remove_file(home.path().join("manuals/cap/recarga.md")).unwrap();
    let said = home.run(&["ingest", &home.folder()]);
    assert_eq!(said.code, Some(1));
    for part in ["kept       cap/recarga.md", "1 of 2 rows", "more than a tenth", "--prune"] {
        assert!(said.out.contains(part), "{part}: {}", said.out);
    }
    let said = home.run(&["ingest", &home.folder(), "--prune"]).good();
    assert!(
        said.contains("gone       cap/recarga.md") && said.contains("1 gone, 0 broken; 2 rows before, 1 now"),
        "{said}"
    );
    assert!(home.run(&["ingest", &home.folder()]).good().contains("0 new, 0 changed, 1 unchanged, 0 gone"));
}

#[test]
fn a_folder_that_is_none_is_named() {
    Home::whole().run(&["ingest", "no/hay"]).refused(&["no/hay", "aura ingest manuals"]);
}

/// A base without manuals can't answer: it says how to fill it.
#[test]
fn an_empty_base_says_how_to_fill_it() {
    Home::new("empty").run(&["ask", "El M50 me marca H08"]).refused(&["no manuals", "aura ingest manuals"]);
}
