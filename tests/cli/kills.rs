//! After the worst end of a server and its database, the next command works.
use crate::home::{Home, kill};

const QUESTION: [&str; 5] = ["ask", "El M50 me marca error H08", "--crm", "M50", "--json"];

#[test]
fn after_kill_9_of_server_and_postgres_the_next_command_answers() {
    let home = Home::small("killed");
    let mut server = home.serve();
    let before = home.run(&QUESTION).json();
    assert_eq!(before["outcome"], "hit");
    let postmaster = home.postmaster();
    kill("STOP", server.pid()); // so that it can't stop Postgres in between
    kill("KILL", postmaster);
    kill("KILL", server.pid());
    server.reap();
    assert!(!home.is_down(), "nobody cleaned up");
    assert_eq!(home.run(&QUESTION).json(), before);
    let again = home.serve();
    assert_eq!(home.run(&QUESTION).json(), before);
    drop(again);
}

/// The server alone: its Postgres ends with it, however it ended.
#[test]
fn after_kill_9_of_the_server_alone_the_next_command_answers() {
    let home = Home::small("orphan");
    let mut server = home.serve();
    let before = home.run(&QUESTION).json();
    kill("KILL", server.pid());
    server.reap();
    assert_eq!(home.run(&QUESTION).json(), before);
}
