//! `aura reembed`, and what refuses while base and embedder don't fit (DECISIONS 2).
use crate::home::Home;
use crate::support::openai::StandIn;

#[test]
fn d2_nothing_is_done_where_nothing_changed() {
    let said = Home::whole().run(&["reembed"]).good();
    assert!(said.contains("0 rows and 0 lessons") && said.contains("already"), "{said}");
}

/// The local model's base, another model's, and back: at each step the other one is refused.
#[tokio::test(flavor = "multi_thread")]
async fn d2_another_model_is_refused_until_reembed() {
    let server = StandIn::embedding(8).await;
    let url = server.base_url();
    let other = [
        ("OPENAI_BASE_URL", url.as_str()),
        ("OPENAI_EMBEDDING_MODEL", "otro-modelo"),
        ("OPENAI_EMBEDDING_DIMS", "8"),
    ];
    let home = Home::small("reembed");
    let folder = home.folder();
    let question = ["ask", "El M50 me marca error H08", "--json"];
    let parts = ["multilingual-e5-small-q4", "otro-modelo", "aura reembed"];
    for args in [&question[..], &["ingest", &folder], &["calibrate"], &["serve"]] {
        home.run_with(&other, args).refused(&parts);
    }
    assert_eq!(server.received().len(), 0, "no text was sent anywhere");
    let said = home.run_with(&other, &["reembed"]).good();
    assert!(said.contains("2 rows and 0 lessons") && said.contains("now uses this model"), "{said}");
    let answer = home.run_with(&other, &question).json();
    assert_eq!(answer["embeddingModel"], "otro-modelo");
    assert_eq!(answer["candidates"].as_array().map(Vec::len), Some(2), "both rows moved: {answer}");
    for args in [&question[..], &["ingest", &folder], &["serve"]] {
        home.run(args).refused(&parts);
    }
    home.run(&["reembed"]).good();
    assert_eq!(home.run(&question).json()["embeddingModel"], "multilingual-e5-small-q4");
}

/// The state alone decides: vectors that are called another model's are never searched with this one.
#[tokio::test]
async fn d2_a_base_of_another_model_is_refused_by_its_state() {
    let home = Home::small("state");
    let server = home.serve();
    let mut postgres = tokio_postgres::Config::new();
    postgres.host_path(home.path().join("run")).user("aura").dbname("aura");
    let (client, connection) = postgres.connect(tokio_postgres::NoTls).await.unwrap();
    let connection = tokio::spawn(connection);
    client.execute("UPDATE embedding_state SET model = 'de-antes', dims = 768", &[]).await.unwrap();
    let parts = ["'de-antes' (768 dimensions)", "'multilingual-e5-small-q4'", "(384)", "aura reembed"];
    home.run(&["ask", "El M50 me marca error H08"]).refused(&parts);
    drop(client);
    connection.await.unwrap().unwrap();
    drop(server);
    home.run(&["serve"]).refused(&parts);
}
