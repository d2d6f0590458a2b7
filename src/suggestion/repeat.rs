//! Whether two suggestions say the same: what was just suggested isn't shown again.
use crate::tokens::{plain, tokens};

/// Words that change nothing of what is said. Never a `no`, a figure or a verb.
const LIGHT: &str = "a ah al ahora ante bien bueno con de del dele e el ella en entonces es ese eso esta este favor la las le les lo \
    los me mi mire mmm nos o otra paciente perfecto por pues que se senor senora senorita si su sus tal te un una usted vez y ya";

/// The words of a suggestion that count.
pub(super) fn weighty(text: &str) -> Vec<String> {
    let words = tokens(text).map(|token| plain(token.text).as_str().to_owned());
    words.filter(|word| !LIGHT.split_whitespace().any(|light| light == word)).collect()
}

/// Whether two suggestions are the same but for courtesies, articles and marks. One other figure, code or `no`
/// makes another suggestion.
pub fn same(one: &str, other: &str) -> bool {
    let one = weighty(one);
    !one.is_empty() && one == weighty(other)
}

/// Whether what is said so far may yet become the same.
pub(super) fn may_become(so_far: &str, whole: &str) -> bool {
    let (mut said, whole) = (weighty(so_far), weighty(whole));
    if whole.starts_with(&said) {
        return true;
    }
    // The last word may not be whole.
    let Some(last) = said.pop() else { return true };
    whole.starts_with(&said) && whole.get(said.len()).is_some_and(|word| word.starts_with(&last))
}
