//! The audit trail's chain: whatever is changed, moved, put in or taken away is found, and where.
use aura::audit::chain::{Damage, Entry, Hash, Known, Verified, Verifier, sorted};
use aura::audit::{Act, Action, Disclosure};
use aura::ids::CallId;
use serde_json::json;

type Link = (Entry, Vec<u8>);

fn act(number: i64) -> Act {
    Act {
        by: format!("account:ana{number}"),
        action: Action::EquipmentShown,
        patient: (number % 3 != 0).then(|| format!("{number:032x}")),
        call: (number % 2 == 0).then(|| CallId::parse(&format!("call-{number}")).unwrap()),
        detail: json!({ "z": [1, null, 2.5], "a": { "ñ": "ü\n\"", "b": true } }),
    }
}

/// A trail of `count` entries, and its head.
fn trail(count: i64) -> (Vec<Link>, Verified) {
    let mut head = Hash::default();
    let link = |seq| {
        let id = format!("00000000-0000-7000-8000-{seq:012}");
        let entry = Entry::of(seq, id, 1_800_000_000_000_000 + seq, &act(seq));
        head = entry.hash(head);
        (entry, head.0.to_vec())
    };
    let links = (1..=count).map(link).collect();
    (links, Verified { count, head })
}

fn walk(links: &[Link], head: &Verified, known: Option<Known>) -> Result<Verified, Damage> {
    let mut verifier = Verifier::new(known);
    links.iter().try_for_each(|(entry, hash)| verifier.take(entry, hash))?;
    verifier.end(head.count, &head.head.0)
}

fn verify(links: &[Link], head: &Verified) -> Result<Verified, Damage> {
    walk(links, head, None)
}

/// Every text that differs from `text` in one byte and is still text, and those a byte shorter or longer.
fn near(text: &str) -> Vec<String> {
    let mut near: Vec<String> = vec![format!("{text}x"), format!("x{text}"), format!("{text},")];
    for at in 0..text.len() {
        for bit in 0..8 {
            let mut bytes = text.as_bytes().to_vec();
            bytes[at] ^= 1 << bit;
            near.extend(String::from_utf8(bytes));
        }
        let mut bytes = text.as_bytes().to_vec();
        bytes.remove(at);
        near.extend(String::from_utf8(bytes));
    }
    near
}

/// Every entry that differs from this one in one byte of one field.
fn neighbours(entry: &Entry) -> Vec<Entry> {
    let text = |of: &str, put: &dyn Fn(String) -> Entry| near(of).into_iter().map(put).collect::<Vec<_>>();
    let mut all = text(&entry.id, &|id| Entry { id, ..entry.clone() });
    all.extend(text(&entry.by, &|by| Entry { by, ..entry.clone() }));
    all.extend(text(&entry.action, &|action| Entry { action, ..entry.clone() }));
    all.extend(text(&entry.detail, &|detail| Entry { detail, ..entry.clone() }));
    let patient = entry.patient.clone().unwrap_or_default();
    all.extend(text(&patient, &|patient| Entry { patient: Some(patient), ..entry.clone() }));
    let call = entry.call.clone().unwrap_or_default();
    all.extend(text(&call, &|call| Entry { call: Some(call), ..entry.clone() }));
    all.extend((0..63).map(|bit| Entry { at_us: entry.at_us ^ (1 << bit), ..entry.clone() }));
    // There or not there is a difference too.
    let other = |field: &Option<String>| if field.is_some() { None } else { Some(String::new()) };
    all.push(Entry { patient: other(&entry.patient), ..entry.clone() });
    all.push(Entry { call: other(&entry.call), ..entry.clone() });
    all.push(Entry { patient: entry.call.clone(), call: entry.patient.clone(), ..entry.clone() });
    all
}

#[test]
fn a_whole_trail_holds() {
    for count in [0, 1, 2, 7] {
        let (links, head) = trail(count);
        assert_eq!(verify(&links, &head), Ok(head));
    }
}

#[test]
fn one_changed_byte_of_any_field_is_found_where_it_is() {
    let (links, head) = trail(4);
    let mut tried = 0;
    for at in 0..links.len() {
        for changed in neighbours(&links[at].0).into_iter().filter(|changed| *changed != links[at].0) {
            let mut links = links.clone();
            links[at].0 = changed;
            assert_eq!(
                verify(&links, &head),
                Err(Damage::Changed { seq: at as i64 + 1 }),
                "{:?}",
                links[at].0
            );
            tried += 1;
        }
    }
    assert!(tried > 4_000, "{tried}");
}

#[test]
fn one_changed_bit_of_a_hash_is_found() {
    let (links, head) = trail(3);
    for at in 0..links.len() {
        for bit in 0..256 {
            let mut links = links.clone();
            links[at].1[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(verify(&links, &head), Err(Damage::Changed { seq: at as i64 + 1 }));
        }
        for hash in [vec![], links[at].1[..31].to_vec(), [&links[at].1[..], &[0]].concat()] {
            let mut links = links.clone();
            links[at].1 = hash;
            assert_eq!(verify(&links, &head), Err(Damage::Changed { seq: at as i64 + 1 }));
        }
    }
    let mut other = head;
    other.head.0[31] ^= 1;
    assert_eq!(verify(&links, &other), Err(Damage::Head { seq: 3 }));
}

#[test]
fn what_is_taken_away_is_found() {
    let (links, head) = trail(5);
    for at in 0..4 {
        let mut links = links.clone();
        links.remove(at);
        assert_eq!(verify(&links, &head), Err(Damage::Missing { seq: at as i64 + 1 }));
        // Closing the gap doesn't help.
        links[at..].iter_mut().for_each(|(entry, _)| entry.seq -= 1);
        let shorter = Verified { count: 4, ..head };
        assert_eq!(verify(&links, &shorter), Err(Damage::Changed { seq: at as i64 + 1 }));
    }
    for left in 0..5 {
        assert_eq!(verify(&links[..left], &head), Err(Damage::Cut { seq: left as i64 + 1 }));
    }
    // Lowering the head without its hash doesn't help either.
    assert_eq!(verify(&links[..4], &Verified { count: 4, ..head }), Err(Damage::Head { seq: 4 }));
}

#[test]
fn what_is_moved_or_put_in_is_found() {
    let (links, head) = trail(5);
    let mut swapped = links.clone();
    swapped.swap(1, 3);
    assert_eq!(verify(&swapped, &head), Err(Damage::Missing { seq: 2 }));
    let mut renumbered = swapped.clone();
    (renumbered[1].0.seq, renumbered[3].0.seq) = (2, 4);
    assert_eq!(verify(&renumbered, &head), Err(Damage::Changed { seq: 2 }));
    let mut twice = links.clone();
    twice.insert(3, links[2].clone());
    assert_eq!(verify(&twice, &head), Err(Damage::OutOfOrder { seq: 3 }));
    // A well-made entry behind the end, the head left as it was.
    let (longer, _) = trail(6);
    assert_eq!(verify(&longer, &head), Err(Damage::Head { seq: 6 }));
    let mut zeroth = links;
    zeroth.insert(0, (Entry { seq: 0, ..zeroth[0].0.clone() }, vec![0; 32]));
    assert_eq!(verify(&zeroth, &head), Err(Damage::OutOfOrder { seq: 0 }));
}

/// Whoever may write everything can compute the whole chain anew: then only what was written down elsewhere
/// tells.
#[test]
fn a_trail_that_was_written_anew_is_found_by_what_was_written_down() {
    let (links, head) = trail(5);
    let third = Known { seq: Some(3), hash: Hash(links[2].1.clone().try_into().unwrap()) };
    let any = Known { seq: None, ..third };
    let (longer, later) = trail(8);
    for known in [third, any, Known::parse(&format!("3:{}", third.hash)).unwrap()] {
        assert_eq!(walk(&links, &head, Some(known)), Ok(head));
        assert_eq!(walk(&longer, &later, Some(known)), Ok(later), "a trail that has grown since");
    }
    assert_eq!(walk(&links, &head, Some(Known { seq: Some(2), ..third })), Err(Damage::Rewritten { seq: 2 }));
    let mut before = Hash::default();
    let anew = links.iter().map(|(entry, _)| {
        let entry = Entry { by: "account:eva".to_owned(), ..entry.clone() };
        before = entry.hash(before);
        (entry, before.0.to_vec())
    });
    let anew: Vec<Link> = anew.collect();
    let forged = Verified { count: 5, head: before };
    assert_eq!(verify(&anew, &forged), Ok(forged), "in itself it holds");
    assert_eq!(walk(&anew, &forged, Some(third)), Err(Damage::Rewritten { seq: 3 }));
    assert_eq!(walk(&anew, &forged, Some(any)), Err(Damage::Rewritten { seq: 5 }));
    let start = Known { seq: Some(0), hash: Hash::default() };
    assert_eq!(walk(&[], &trail(0).1, Some(start)), Ok(Verified::default()), "an empty trail's own head");
}

#[test]
fn what_was_written_down_is_read_strictly() {
    let hash = "ab".repeat(32);
    assert_eq!(Known::parse(&format!(" 12:{hash}\n")).unwrap().seq, Some(12));
    assert_eq!(Known::parse(&hash).unwrap().hash.to_string(), hash);
    for bad in [
        "",
        "12:",
        "x:",
        &hash[1..],
        &format!("{hash}00"),
        &format!("x:{hash}"),
        &"+a".repeat(32),
        &"é".repeat(32),
    ] {
        assert_eq!(Known::parse(bad), None, "{bad}");
    }
}

/// The form is public: what is computed here by hand from its description is what the code hashes.
#[test]
fn the_form_is_what_its_description_says() {
    let entry = Entry {
        seq: 7,
        id: "00000000-0000-7000-8000-000000000007".to_owned(),
        at_us: 1_800_000_000_000_007,
        by: "account:añá".to_owned(),
        action: "signed_in".to_owned(),
        patient: None,
        call: Some("c:1".to_owned()),
        detail: sorted(&json!({ "b": 1, "a": [1.0, "x"], "B": {} })),
    };
    let form = "12:aura-audit-1,1:7,36:00000000-0000-7000-8000-000000000007,16:1800000000000007,\
                13:account:añá,9:signed_in,-,3:c:1,28:{\"B\":{},\"a\":[1.0,\"x\"],\"b\":1},";
    assert_eq!(String::from_utf8(entry.form()).unwrap(), form);
}

/// R13: devices are shown by a kept act of that kind alone, of a patient and a call.
#[test]
fn r13_a_disclosure_is_made_of_its_own_act_alone() {
    let whole = Act { patient: Some("p".to_owned()), call: CallId::parse("c").ok(), ..act(1) };
    assert!(Disclosure::of(&whole).is_some());
    assert!(Disclosure::of(&Act { patient: None, ..whole.clone() }).is_none());
    assert!(Disclosure::of(&Act { call: None, ..whole.clone() }).is_none());
    assert!(Disclosure::of(&Act { action: Action::IdentityTyped, ..whole }).is_none());
}
