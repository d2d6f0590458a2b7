//! The journal between a disk that may be torn and a database that may be away: nothing lost, nothing twice.
use crate::book::{Book, PATIENCE, Weather, line, line_of, line_with};
use crate::folder::Folder;
use actix::prelude::*;
use aura::call::trace::{ENDED, MEMORY};
use aura_actors::journal::{
    Accept, Close, Entry, Flush, Journal, NotKept, OpenError, Record, Rotate, Sync, open,
};
use serde_json::json;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{sleep, timeout};

const PLENTY: u64 = 1 << 30;

fn start(folder: &Path, book: &Arc<Book>, most: u64) -> Addr<Journal> {
    Journal::start(open(folder).expect("the folder is free"), book.clone(), most).expect("it starts")
}

/// Writes these lines while the database is away, and ends.
async fn leave(folder: &Path, numbers: impl Iterator<Item = u64>) {
    let journal = start(folder, &Arc::new(Book::new(Weather::Away)), PLENTY);
    journal.do_send(Record(numbers.map(line).collect()));
    journal.send(Sync).await.unwrap().unwrap();
    journal.send(Close).await.unwrap();
}

async fn accept(journal: &Addr<Journal>, entry: Entry) -> Result<(), NotKept> {
    timeout(PATIENCE, journal.send(Accept(entry))).await.expect("an answer").expect("a journal")
}

async fn flush(journal: &Addr<Journal>) {
    timeout(PATIENCE, journal.send(Flush)).await.expect("the database has it all").expect("a journal");
}

/// The segments, oldest first.
fn segments(folder: &Path) -> Vec<PathBuf> {
    let files = fs::read_dir(folder).unwrap().map(|file| file.unwrap().path());
    let mut segments: Vec<PathBuf> =
        files.filter(|path| path.extension().is_some_and(|end| end == "journal")).collect();
    segments.sort();
    segments
}

/// Where each frame of a segment begins, and where the last one ends.
fn frames(bytes: &[u8]) -> Vec<usize> {
    let mut starts = vec![0];
    while let Some(header) = bytes.get(starts[starts.len() - 1]..).and_then(<[u8]>::first_chunk::<8>) {
        let length = u32::from_le_bytes([header[0], header[1], header[2], header[3]]) as usize;
        starts.push(starts[starts.len() - 1] + 8 + length);
    }
    assert_eq!(*starts.last().unwrap(), bytes.len(), "whole frames only");
    starts
}

async fn until(what: &str, done: impl Fn() -> bool) {
    let wait = async {
        while !done() {
            sleep(Duration::from_millis(10)).await;
        }
    };
    assert!(timeout(PATIENCE, wait).await.is_ok(), "{what}: it never came to that");
}

#[actix_rt::test]
async fn d23_facts_reach_a_database_that_comes_and_goes_in_order_and_once() {
    let (folder, book) = (Folder::new(), Arc::new(Book::new(Weather::Changing)));
    let journal = start(folder.path(), &book, PLENTY);
    let mut next = 1;
    while next <= 2000 {
        let count = next % 37 + 1;
        journal.do_send(Record((next..next + count).map(line).collect()));
        next += count;
        if next % 5 == 0 {
            sleep(Duration::from_millis(3)).await;
        }
    }
    flush(&journal).await;
    assert!(book.numbers().into_iter().eq(1..next), "{:?}", book.numbers());
    assert!(book.tries() > 8, "it did come and go: {} tries", book.tries());
}

#[actix_rt::test]
async fn d23_sync_waits_for_the_disk_flush_for_the_database() {
    let (folder, book) = (Folder::new(), Arc::new(Book::new(Weather::Away)));
    let journal = start(folder.path(), &book, PLENTY);
    journal.do_send(Record(vec![line(1), line(2)]));
    journal.send(Sync).await.unwrap().unwrap();
    let written = fs::read(&segments(folder.path())[0]).unwrap();
    assert_eq!(frames(&written).len(), 3, "both are on disk");
    assert!(book.numbers().is_empty());
    let early = timeout(Duration::from_millis(400), journal.send(Flush)).await;
    assert!(early.is_err(), "the database has nothing yet");
    book.turns(Weather::Fair);
    flush(&journal).await;
    assert_eq!(book.numbers(), [1, 2]);
    flush(&journal).await; // with nothing to write
}

#[actix_rt::test]
async fn d23_what_is_accepted_is_on_disk_before_the_answer() {
    let (folder, book) = (Folder::new(), Arc::new(Book::new(Weather::Away)));
    let journal = start(folder.path(), &book, PLENTY);
    for number in 1..=50 {
        let entry = line(number);
        let id = entry.id.to_string();
        accept(&journal, entry).await.unwrap();
        let written = fs::read(&segments(folder.path())[0]).unwrap();
        assert!(written.windows(id.len()).any(|part| part == id.as_bytes()), "fact {number}");
    }
}

#[actix_rt::test]
async fn d23_a_closed_journal_refuses_and_keeps_nobody_waiting() {
    let (folder, book) = (Folder::new(), Arc::new(Book::new(Weather::Fair)));
    let journal = start(folder.path(), &book, PLENTY);
    accept(&journal, line(1)).await.unwrap();
    let (closed, late, _flushed) =
        tokio::join!(journal.send(Close), journal.send(Accept(line(2))), journal.send(Flush));
    closed.unwrap();
    // Whether they were still heard or not: nobody is told that it was kept.
    assert!(!matches!(late, Ok(Ok(()))), "{late:?}");
    assert!(!journal.connected());
}

#[actix_rt::test]
async fn d23_two_servers_on_one_folder_are_refused_by_name() {
    let (folder, book) = (Folder::new(), Arc::new(Book::new(Weather::Fair)));
    let journal = start(folder.path(), &book, PLENTY);
    let refused = open(folder.path()).err().expect("it is taken");
    assert!(matches!(&refused, OpenError::Taken(path) if path == folder.path()), "{refused}");
    let said = refused.to_string();
    assert!(said.contains(&folder.path().display().to_string()) && said.contains("AURA_JOURNAL"), "{said}");
    journal.send(Close).await.unwrap();
    open(folder.path()).expect("it is free again");
}

#[actix_rt::test]
async fn d23_a_frame_that_was_torn_by_the_end_costs_itself_alone() {
    let folder = Folder::new();
    leave(folder.path(), 1..=4).await;
    let file = segments(folder.path()).pop().unwrap();
    let whole = fs::read(&file).unwrap();
    let last = frames(&whole)[3];
    for cut in [last + 1, last + 7, last + 8, last + 9, whole.len() - 1] {
        let torn = Folder::new();
        fs::write(torn.path().join(file.file_name().unwrap()), &whole[..cut]).unwrap();
        let book = Arc::new(Book::new(Weather::Fair));
        let journal = start(torn.path(), &book, PLENTY);
        accept(&journal, line(5)).await.unwrap();
        flush(&journal).await;
        assert_eq!(book.numbers(), [1, 2, 3, 5], "torn at {cut} of {}", whole.len());
    }
}

#[actix_rt::test]
async fn d23_a_frame_that_went_bad_costs_itself_alone() {
    let folder = Folder::new();
    leave(folder.path(), 1..=10).await;
    let file = segments(folder.path()).pop().unwrap();
    let mut bytes = fs::read(&file).unwrap();
    let fifth = frames(&bytes)[4];
    bytes[fifth + 20] ^= 0x40;
    fs::write(&file, bytes).unwrap();
    let book = Arc::new(Book::new(Weather::Fair));
    let journal = start(folder.path(), &book, PLENTY);
    accept(&journal, line(11)).await.unwrap();
    flush(&journal).await;
    assert_eq!(book.numbers(), [1, 2, 3, 4, 6, 7, 8, 9, 10, 11]);
}

/// After a power cut a file may end in zeros that nobody wrote.
#[actix_rt::test]
async fn d23_zeros_at_the_end_are_no_facts_and_no_crash() {
    let folder = Folder::new();
    leave(folder.path(), 1..=3).await;
    let file = segments(folder.path()).pop().unwrap();
    let mut bytes = fs::read(&file).unwrap();
    bytes.resize(bytes.len() + 8 * 1024 * 1024, 0);
    fs::write(&file, bytes).unwrap();
    let book = Arc::new(Book::new(Weather::Fair));
    let journal = start(folder.path(), &book, PLENTY);
    accept(&journal, line(4)).await.unwrap();
    flush(&journal).await;
    assert_eq!(book.numbers(), [1, 2, 3, 4]);
}

#[actix_rt::test]
async fn d23_a_length_that_cannot_be_ends_its_segment_and_no_more() {
    let folder = Folder::new();
    leave(folder.path(), 1..=3).await;
    let file = segments(folder.path()).pop().unwrap();
    let mut bytes = fs::read(&file).unwrap();
    let second = frames(&bytes)[1];
    bytes[second..second + 4].copy_from_slice(&u32::MAX.to_le_bytes());
    fs::write(&file, bytes).unwrap();
    leave(folder.path(), 4..=6).await;
    let book = Arc::new(Book::new(Weather::Fair));
    let journal = start(folder.path(), &book, PLENTY);
    flush(&journal).await;
    assert_eq!(book.numbers(), [1, 4, 5, 6]);
}

#[actix_rt::test]
async fn d23_without_its_cursor_everything_is_sent_again_and_counts_once() {
    let (folder, book) = (Folder::new(), Arc::new(Book::new(Weather::Fair)));
    leave(folder.path(), 1..=5).await;
    let first = segments(folder.path()).remove(0);
    let bytes = fs::read(&first).unwrap();
    for cursor in [None, Some(""), Some("seven 8"), Some("1")] {
        // As if it hadn't been deleted yet.
        fs::write(&first, &bytes).unwrap();
        match cursor {
            Some(text) => fs::write(folder.path().join("cursor"), text).unwrap(),
            None => fs::remove_file(folder.path().join("cursor")).unwrap(),
        }
        let tries = book.tries();
        let journal = start(folder.path(), &book, PLENTY);
        flush(&journal).await;
        assert_eq!(book.numbers(), [1, 2, 3, 4, 5], "cursor {cursor:?}");
        assert!(book.tries() > tries, "they were sent again: cursor {cursor:?}");
        journal.send(Close).await.unwrap();
    }
}

/// E.g. after somebody deleted segments to free some space, and left the cursor.
#[actix_rt::test]
async fn d23_a_cursor_ahead_of_the_segments_withholds_nothing() {
    for cursor in ["7 900\n", "7 0\n", "1 99999999\n"] {
        let (folder, book) = (Folder::new(), Arc::new(Book::new(Weather::Fair)));
        fs::write(folder.path().join("cursor"), cursor).unwrap();
        let journal = start(folder.path(), &book, PLENTY);
        journal.do_send(Record((1..=3).map(line).collect()));
        flush(&journal).await;
        assert_eq!(book.numbers(), [1, 2, 3], "cursor {cursor:?}: Flush says that the database has them");
    }
}

#[actix_rt::test]
async fn d23_many_segments_are_one_story_and_are_deleted_once_the_database_has_them() {
    let (folder, book) = (Folder::new(), Arc::new(Book::new(Weather::Away)));
    let journal = start(folder.path(), &book, PLENTY);
    let text = "a".repeat(60_000);
    for number in 1..=400 {
        accept(&journal, line_with(number, json!(text))).await.unwrap();
    }
    assert!(segments(folder.path()).len() >= 3, "24 MB are several segments");
    book.turns(Weather::Fair);
    flush(&journal).await;
    assert!(book.numbers().into_iter().eq(1..=400), "{:?}", book.numbers());
    accept(&journal, line(401)).await.unwrap();
    until("old segments are deleted", || segments(folder.path()).len() == 1).await;
    journal.send(Close).await.unwrap();
    let journal = start(folder.path(), &book, PLENTY);
    accept(&journal, line(402)).await.unwrap();
    flush(&journal).await;
    assert!(book.numbers().into_iter().eq(1..=402));
}

#[actix_rt::test]
async fn d23_a_fact_that_the_database_refuses_is_set_aside_and_the_rest_goes_on() {
    let (folder, book) = (Folder::new(), Arc::new(Book::new(Weather::Fair)));
    let facts: Vec<Entry> = (1..=9).map(line).collect();
    let bad = facts[4].clone();
    book.refuses(bad.id);
    let journal = start(folder.path(), &book, PLENTY);
    journal.do_send(Record(facts));
    flush(&journal).await;
    assert_eq!(book.numbers(), [1, 2, 3, 4, 6, 7, 8, 9]);
    let aside = fs::read(folder.path().join(format!("rejected-{}.json", bad.id))).expect("it is kept");
    assert_eq!(serde_json::from_slice::<Entry>(&aside).unwrap(), bad);
    accept(&journal, line(10)).await.unwrap();
    flush(&journal).await;
    assert_eq!(book.numbers().last(), Some(&10));
}

#[actix_rt::test]
async fn i7_a_full_journal_says_so_loses_nothing_that_it_took_and_takes_again_when_there_is_room() {
    let (folder, book) = (Folder::new(), Arc::new(Book::new(Weather::Away)));
    let journal = start(folder.path(), &book, 64 * 1024);
    let (mut kept, mut number, mut refused) = (Vec::new(), 0, 0);
    while refused < 3 {
        number += 1;
        match accept(&journal, line_with(number, json!("a".repeat(1000)))).await {
            Ok(()) => kept.push(number),
            Err(why) => {
                assert_eq!(why, NotKept::Full);
                refused += 1;
            }
        }
        assert!(number < 1000, "the bound never held");
    }
    assert!(kept.len() > 40, "{kept:?}");
    book.turns(Weather::Fair);
    assert_eq!(book.holds(kept.len()).await, kept);
    let taken = async {
        loop {
            number += 1;
            match accept(&journal, line(number)).await {
                Ok(()) => return number,
                Err(why) => assert_eq!(why, NotKept::Full),
            }
            sleep(Duration::from_millis(20)).await;
        }
    };
    kept.push(timeout(PATIENCE, taken).await.expect("with the database back there is room again"));
    flush(&journal).await;
    assert_eq!(book.numbers(), kept);
}

/// DECISIONS 24: what was said in a call that has ended leaves the disk, however quiet the server is.
#[actix_rt::test]
async fn d24_a_new_segment_lets_the_former_go_once_the_database_has_it_and_no_live_call_needs_it() {
    let (folder, book) = (Folder::new(), Arc::new(Book::new(Weather::Away)));
    let journal = start(folder.path(), &book, PLENTY);
    let held = |text: &str| {
        let whole: Vec<u8> =
            segments(folder.path()).iter().flat_map(|path| fs::read(path).unwrap()).collect();
        whole.windows(text.len()).any(|part| part == text.as_bytes())
    };
    accept(&journal, line_with(1, json!("dicho antes"))).await.unwrap();
    journal.send(Rotate).await.unwrap();
    journal.send(Rotate).await.unwrap();
    accept(&journal, line_with(2, json!("dicho después"))).await.unwrap();
    assert_eq!(segments(folder.path()).len(), 2, "an empty one isn't followed by another");
    assert!(held("dicho antes"), "the database hasn't got it yet");
    book.turns(Weather::Fair);
    flush(&journal).await;
    until("the former is deleted", || !held("dicho antes")).await;
    assert!(held("dicho después"));
    // A live call's beginning is needed to rebuild it.
    accept(&journal, line_of(3, MEMORY)).await.unwrap();
    journal.send(Rotate).await.unwrap();
    accept(&journal, line_with(4, json!("dicho al fin"))).await.unwrap();
    flush(&journal).await;
    assert!(held("dicho después"));
    accept(&journal, line_of(5, ENDED)).await.unwrap();
    flush(&journal).await;
    until("it has ended", || !held("dicho después")).await;
    // What the database refused stays for somebody to look at, and no longer.
    let aside = |name: &str, days: u64| {
        let path = folder.path().join(name);
        let file = fs::File::create(&path).unwrap();
        file.set_modified(std::time::SystemTime::now() - Duration::from_secs(days * 86_400)).unwrap();
        path
    };
    let (old, young) = (aside("rejected-a.json", 31), aside("rejected-b.json", 29));
    journal.send(Rotate).await.unwrap();
    until("an old one goes", || !old.exists()).await;
    assert!(young.exists() && folder.path().join("cursor").exists());
    assert_eq!(book.numbers(), [1, 2, 3, 4, 5]);
}

/// A frame that a reader wouldn't believe must not be written: it would hide all that follows.
#[actix_rt::test]
async fn i7_a_fact_that_is_too_long_is_refused_and_hides_nothing() {
    let (folder, book) = (Folder::new(), Arc::new(Book::new(Weather::Fair)));
    let journal = start(folder.path(), &book, PLENTY);
    accept(&journal, line(1)).await.unwrap();
    let long = line_with(2, json!("a".repeat(17 * 1024 * 1024)));
    assert_eq!(accept(&journal, long).await, Err(NotKept::Unwritable));
    accept(&journal, line(3)).await.unwrap();
    flush(&journal).await;
    assert_eq!(book.numbers(), [1, 3]);
}
