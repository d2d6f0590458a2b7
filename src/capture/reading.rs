//! What the rules read in one line of the patient's.
use super::telephone::Telephone;
use super::{Field, Pass};
use crate::equipment::Catalogue;
use crate::mask::mask;
use crate::script::Step;
use crate::tokens::{Gap, tokens};
use crate::wording::{Said, Wordings};
use crate::words::count_words;
use std::sync::LazyLock;

/// What comes before a name.
static NAMES: LazyLock<Wordings> = LazyLock::new(|| {
    Wordings::of([
        "me llamo",
        "mi nombre es",
        "mi nombre y apellido es",
        "el nombre es",
        "se llama",
        "habla con",
    ])
});
/// What takes back what was said before.
static CORRECTS: LazyLock<Wordings> = LazyLock::new(|| {
    Wordings::of([
        "^ no es",
        "^ no es el",
        "^ no era",
        "perdon es",
        "perdon no",
        "me equivoque",
        "en realidad es",
        "en realidad era",
        "quise decir",
        "me confundi",
        "no no es",
        "no perdon",
        "^ perdon",
    ])
});
/// What tells that a number is a telephone.
static TELEPHONE: LazyLock<Wordings> = LazyLock::new(|| {
    Wordings::of([
        "telefono",
        "celular",
        "celu",
        "cel",
        "fijo",
        "whatsapp",
        "llameme",
        "llamenme",
        "llamame",
        "me llaman al",
        "me pueden llamar",
        "me puede llamar",
        "mi numero es",
        "numero de contacto",
    ])
});

/// Words of a reason at least.
const REASON: usize = 4;
/// Words of a name at most.
const NAME: usize = 3;
/// Words that no name goes on with.
const NO_NAME: &str = "y soy la el le lo de mi que para por con tengo llamo estoy necesito queria un una su hija hijo esposa esposo no si \
    documento dni numero vivo desde o pero porque como cuando es me se";

/// Reads a final line of the patient's. `telephone_asked`: a number that comes now is one; `reason`: the talk is
/// still before its reason, so that a line that tells one is it.
pub fn read(text: &str, telephone_asked: bool, step: Step, catalogue: &Catalogue) -> Pass {
    let said = Said::of(text);
    let normalised = catalogue.normalise(&mask(text));
    let mut pass = Pass { corrects: CORRECTS.found_in(&said), ..Pass::default() };
    let equipment = normalised.models.iter().map(|model| model.as_str().to_owned());
    let equipment: Vec<String> = equipment.chain(normalised.others.iter().cloned()).collect();
    let codes = normalised.codes.iter().map(ToString::to_string);
    let codes: Vec<String> = codes.chain(normalised.text_codes.iter().cloned()).collect();
    let reason = step <= Step::Reason && tells_a_reason(text, catalogue);
    let found = [
        (Field::Equipment, equipment),
        (Field::Code, codes),
        (Field::Name, name(text, &said).into_iter().collect()),
        (Field::Reason, reason.then(|| text.trim().to_owned()).into_iter().collect()),
    ];
    pass.found = found.into_iter().filter(|(_, values)| !values.is_empty()).collect();
    if telephone_asked || TELEPHONE.found_in(&said) {
        pass.telephone = Telephone::said_in(text);
    }
    pass
}

fn tells_a_reason(text: &str, catalogue: &Catalogue) -> bool {
    count_words(text) >= REASON && crate::script::tells_reason(text, catalogue)
}

/// The words behind `me llamo`, as they were said, up to the end of the clause.
fn name(text: &str, said: &Said) -> Option<String> {
    let from = NAMES.end_in(said)?;
    let all: Vec<_> = tokens(text).collect();
    let behind = all.get(from..)?.iter().enumerate();
    let goes_on = |(at, token): &(usize, &crate::tokens::Token<'_>)| {
        let key = crate::tokens::plain(token.text);
        let ends = *at > 0 && token.gap != Gap::Space;
        !ends && !token.figures && !NO_NAME.split_whitespace().any(|word| word == key.as_str())
    };
    let words: Vec<&str> = behind.take_while(goes_on).take(NAME).map(|(_, token)| token.text).collect();
    (!words.is_empty()).then(|| words.join(" "))
}
