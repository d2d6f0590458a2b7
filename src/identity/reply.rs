//! Whether a patient agrees to the number that was read back.

use crate::tokens::{Gap, Token, plain, tokens};

/// What a line says to a number that was read back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reply {
    Agrees,
    Denies,
    /// Something else, or both.
    Unclear,
}

/// Words before the answer that say nothing.
const LEAD: &str = "ahi eh ehh ehm ah ay bueno mm mmm este a ver senorita senor";

/// Words that agree.
const YES: &str = "si sisi correcto correctisimo exacto exactamente ese eso esa asi perfecto claro aja afirmativo justo ok \
    okey dale efectivamente tal bien cierto seguro mismo sip obvio exactisimo listo";

/// Words that deny.
const NO: &str = "no nono nop negativo incorrecto mal equivocado equivoco equivoque perdon error falso";

/// Words after which an agreement isn't one.
const BUT: &str =
    "no pero mal perdon termina terminado final ultimo ultimos ultima equivoque falta sobra reves";

/// Words of an agent that wait for the answer.
const WAITS: &str = "si correcto esta bien es asi verdad no ese su documento dni el ok a ver confirma me lo confirmo eso \
    cierto exacto bien perfecto aja bueno gracias ahi muy";

/// Longest agent's line that may still wait for the answer, in words.
const ASIDE: usize = 6;

fn among(list: &str, token: &Token<'_>) -> bool {
    let key = plain(token.text);
    list.split_whitespace().any(|word| word == key.as_str())
}

/// Reads an answer by how it begins.
pub(super) fn reply(text: &str) -> Reply {
    let said: Vec<Token<'_>> = tokens(text).skip_while(|token| among(LEAD, token)).collect();
    let Some((first, rest)) = said.split_first() else { return Reply::Unclear };
    if among(NO, first) {
        if said.windows(2).any(|pair| is_not(&pair[0], &pair[1])) {
            return Reply::Denies;
        }
        let softened = rest.iter().take_while(|token| !token.figures).take(3).any(|token| among(YES, token));
        return if softened { Reply::Unclear } else { Reply::Denies };
    }
    if matches!(plain(first.text).as_str(), "esta" | "es") {
        return match rest.first() {
            Some(word) if among(NO, word) => Reply::Denies,
            Some(word) if among(YES, word) && !rest.iter().any(|token| among(BUT, token)) => Reply::Agrees,
            _ => Reply::Unclear,
        };
    }
    let agrees = among(YES, first) && !is_if(first, rest) && !rest.iter().any(|token| among(BUT, token));
    if agrees { Reply::Agrees } else { Reply::Unclear }
}

/// `no, no es ese`, where `no, es ese` is none.
fn is_not(no: &Token<'_>, next: &Token<'_>) -> bool {
    among(NO, no) && matches!(next.gap, Gap::Space) && among("es son era fue", next)
}

/// `si apago el equipo` begins with no agreement.
fn is_if(first: &Token<'_>, rest: &[Token<'_>]) -> bool {
    let Some(next) = rest.first() else { return false };
    let joined = matches!(next.gap, Gap::Space);
    first.text.to_lowercase() == "si"
        && joined
        && !among(YES, next)
        && !next.figures
        && !among("es esta senorita senor", next)
}

/// Whether an agent's line without a number still waits for the answer to the one that was read back.
pub(super) fn is_aside(text: &str) -> bool {
    tokens(text).count() <= ASIDE && tokens(text).all(|token| among(WAITS, &token))
}
