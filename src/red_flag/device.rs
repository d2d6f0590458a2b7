//! Whether a sign is said of the apparatus: 'se quedó sin aire el compresor'.

use super::hearing::Heard;
use super::judge::Span;
use super::lexicon::Classes;

/// How many small words stand between the apparatus and what is said of it.
const BETWEEN: usize = 7;

/// Whether a device is what `span` speaks of, before or after it. Words about a person win.
pub(super) fn subject(heard: &Heard<'_>, span: Span) -> bool {
    let device = heard.list.named.device;
    let inside = (span.start..span.end).any(|at| heard.is(at, device));
    let personal = (span.start..span.end).any(|at| personal(heard, at));
    !personal && (inside || before(heard, span.start, device) || after(heard, span.end, device))
}

/// Whether it is whoever is telephoned: 'la farmacia no me contesta'.
pub(super) fn contact(heard: &Heard<'_>, span: Span) -> bool {
    let contact = heard.list.named.contact;
    before(heard, span.start, contact) || after(heard, span.end, contact)
}

/// A word about a person; 'se me' says nothing of whom.
fn personal(heard: &Heard<'_>, at: usize) -> bool {
    let named = &heard.list.named;
    let mine = heard.is(at, named.me) && at > 0 && heard.is(at - 1, named.se);
    heard.is(at, named.personal) && !mine
}

/// `el equipo ya no …`, but not `con el equipo …` nor `se apagó el equipo …`.
fn before(heard: &Heard<'_>, start: usize, noun: Classes) -> bool {
    let named = &heard.list.named;
    let mut at = start;
    for _ in 0..BETWEEN {
        if heard.pauses(at) {
            return false;
        }
        at -= 1;
        if heard.is(at, noun) {
            return heard.is(at, named.part) || heard.is(at, named.contact) || leads(heard, at);
        }
        let said = !heard.is(at, named.that) || (at > 0 && heard.is(at - 1, named.says));
        let light = heard.is(at, named.verb_lead) || heard.is(at, named.number);
        if heard.is(at, named.personal) || !light || !said {
            return false;
        }
    }
    false
}

/// Whether the noun at `at` begins its clause, or is spoken of with `al` or `del`.
fn leads(heard: &Heard<'_>, at: usize) -> bool {
    let named = &heard.list.named;
    let mut first = at;
    while first > 0 && !heard.pauses(first) && heard.is(first - 1, named.before_noun) {
        first -= 1;
    }
    heard.pauses(first) || heard.is(first - 1, named.before_subject)
}

/// `… el compresor`, where no verb follows that would make it another clause.
fn after(heard: &Heard<'_>, end: usize, noun: Classes) -> bool {
    let named = &heard.list.named;
    let mut at = end;
    while at < end + BETWEEN && heard.is(at, named.to_article) && !heard.breaks(at) {
        at += 1;
    }
    let told = at > end && heard.is(at, noun) && !heard.pauses(end);
    told && (heard.pauses(at + 1) || heard.is(at + 1, named.after_subject) || heard.is(at + 1, noun))
}
