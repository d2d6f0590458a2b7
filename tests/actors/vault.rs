//! The vault: what it seals only its own key opens, and only where it belongs.
use crate::folder::Folder;
use aura::ids::Dni;
use aura_actors::secret::Secret;
use aura_actors::vault::{Vault, VaultError};
use std::collections::HashSet;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

const KEY: &str = "una clave de prueba de más de treinta y dos bytes";

fn vault(key: &str) -> Vault {
    Vault::open(Some(&Secret::new(key)), Path::new("/nowhere")).expect("a vault")
}

fn dni(text: &str) -> Dni {
    Dni::parse(text).expect("a document")
}

#[test]
fn d24_a_sealed_document_opens_again_and_tells_nothing() {
    let vault = vault(KEY);
    for text in ["1234567", "12345678", "99999999"] {
        let sealed = vault.seal(dni(text), "call-1").unwrap();
        assert_eq!(vault.unseal(&sealed, "call-1"), Some(dni(text)));
        assert!(!sealed.contains(text));
        assert_ne!(vault.seal(dni(text), "call-1").unwrap(), sealed, "each time another text");
    }
}

#[test]
fn d24_a_sealed_document_opens_nowhere_else_with_no_other_key_and_not_when_damaged() {
    let vault = vault(KEY);
    let sealed = vault.seal(dni("12345678"), "call-1").unwrap();
    for place in ["call-2", "", "call-1 ", "CALL-1"] {
        assert_eq!(vault.unseal(&sealed, place), None, "{place:?}");
    }
    assert_eq!(self::vault(&format!("{KEY}.")).unseal(&sealed, "call-1"), None);
    for at in 0..sealed.len() {
        let mut damaged = sealed.clone().into_bytes();
        damaged[at] = if damaged[at] == b'A' { b'B' } else { b'A' };
        assert_eq!(vault.unseal(&String::from_utf8(damaged).unwrap(), "call-1"), None, "byte {at}");
        assert_eq!(vault.unseal(&sealed[..at], "call-1"), None, "the first {at} bytes");
    }
    for nonsense in ["", "é", "AAAA", "====", &"A".repeat(1000)] {
        assert_eq!(vault.unseal(nonsense, "call-1"), None);
    }
}

#[test]
fn a_patient_is_recognised_with_the_same_key_alone() {
    let (one, same, other) = (vault(KEY), vault(KEY), vault(&format!("{KEY}.")));
    let hash = one.patient(dni("12345678"));
    assert_eq!(hash, same.patient(dni("12.345.678")));
    assert_ne!(hash, other.patient(dni("12345678")));
    assert!(hash.len() == 32 && hash.bytes().all(|byte| byte.is_ascii_hexdigit()), "{hash}");
    let many: HashSet<String> = (0..1000).map(|n| one.patient(dni(&(12_345_000 + n).to_string()))).collect();
    assert_eq!(many.len(), 1000);
}

#[test]
fn each_purpose_has_a_key_of_its_own() {
    let vault = vault(KEY);
    assert_eq!(vault.key_for("cookies"), self::vault(KEY).key_for("cookies"));
    assert_ne!(vault.key_for("cookies"), vault.key_for("tickets"));
    assert_ne!(vault.key_for("cookies"), self::vault(&format!("{KEY}.")).key_for("cookies"));
}

#[test]
fn a_short_key_is_refused_by_its_length() {
    for key in ["", "corta", &"a".repeat(31)] {
        let refused = Vault::open(Some(&Secret::new(key)), Path::new("/nowhere")).err().unwrap();
        assert!(matches!(refused, VaultError::Short(length) if length == key.len()), "{refused}");
        assert!(refused.to_string().contains("AURA_KEY"), "{refused}");
    }
    vault(&"a".repeat(32));
    let folder = Folder::new();
    folder.write("key", "corta");
    assert!(matches!(Vault::open(None, folder.path()), Err(VaultError::Short(5))));
}

#[test]
fn the_key_is_made_once_for_its_owner_alone() {
    let folder = Folder::new();
    let home = folder.path().join("below/home");
    let sealed = Vault::open(None, &home).unwrap().seal(dni("12345678"), "c").unwrap();
    assert_eq!(Vault::open(None, &home).unwrap().unseal(&sealed, "c"), Some(dni("12345678")));
    let mode = fs::metadata(home.join("key")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let names: Vec<_> = fs::read_dir(&home).unwrap().map(|file| file.unwrap().file_name()).collect();
    assert_eq!(names, ["key"], "nothing else is left behind");
    let other = Folder::new();
    assert_eq!(Vault::open(None, other.path()).unwrap().unseal(&sealed, "c"), None, "another key");
}

#[test]
fn where_no_key_can_be_made_the_folder_is_named() {
    let folder = Folder::new();
    folder.write("home", "a file where a folder should be");
    let refused = Vault::open(None, &folder.path().join("home")).err().unwrap().to_string();
    assert!(refused.contains("home/key") && refused.contains("AURA_HOME"), "{refused}");
}

/// Several that start at once on an empty home end up with one key.
#[test]
fn of_many_that_make_a_key_at_once_all_have_the_first() {
    for _ in 0..20 {
        let folder = Folder::new();
        let hashes: HashSet<String> = std::thread::scope(|scope| {
            let open = || Vault::open(None, folder.path()).expect("a vault").patient(dni("12345678"));
            let threads: Vec<_> = (0..8).map(|_| scope.spawn(open)).collect();
            threads.into_iter().map(|thread| thread.join().expect("no panic")).collect()
        });
        assert_eq!(hashes.len(), 1);
    }
}
