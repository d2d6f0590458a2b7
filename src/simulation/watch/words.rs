//! What is said: dangers first, nothing unsupported, no prompt, no superseded number, one greeting (S1, S2, E11).
use super::super::model::PROMPT;
use super::turns::Watched;
use super::{Judged, Watch, ensure};
use crate::call::Input;
use crate::ids::ReplyId;
use crate::mask::contains_long_number;
use crate::phrases::{
    BROKEN, CALLBACK_PROMISE, EMERGENCY_BREATHING, EMERGENCY_FIRE, EMERGENCY_OTHER, FAREWELL, REMINDER,
};
use crate::red_flag::{RedFlag, red_flag};
use crate::retrieval::{Chunk, reading};
use crate::settings;
use crate::support::Support;
use serde_json::Value;

/// So many words of the prompt in a row are a leak.
const RUN: usize = 6;
/// Rows and lessons that may still be rested on, the newest.
const EVIDENCE: usize = 8;

impl Watch {
    /// The gravest danger in the patient's lines that are new since the last question, and in those or the
    /// last line again. Every line counts as judged then.
    pub(super) fn danger(&mut self) -> (Option<RedFlag>, Option<RedFlag>) {
        self.read_dangers();
        let last = self.known.patient().last().and_then(|(_, line)| self.flag(&line.text));
        let new = self.known.patient().filter(|(at, line)| self.judged.get(at) != Some(&line.text));
        let danger = new.filter_map(|(_, line)| self.flag(&line.text)).min();
        let lines: Vec<_> = self.known.patient().map(|(at, line)| (at, line.text.clone())).collect();
        self.judged.extend(lines);
        (danger, [danger, last].into_iter().flatten().min())
    }

    /// Reads each of the patient's lines for danger, once.
    fn read_dangers(&mut self) {
        for (_, line) in self.known.patient() {
            if !self.dangers.contains_key(&line.text) {
                self.dangers.insert(line.text.clone(), red_flag(&line.text));
            }
        }
    }

    fn flag(&self, text: &str) -> Option<RedFlag> {
        self.dangers.get(text).copied().flatten()
    }

    /// The patient's last turn as it is looked up.
    pub(super) fn question(&self) -> String {
        let last = self.known.patient().last().map(|(_, line)| line.text.as_str());
        reading::read(last.unwrap_or_default(), self.catalogue).text
    }

    pub(super) fn say(&mut self, input: Option<&Input>, reply: ReplyId, text: &str) -> Judged {
        ensure(!contains_long_number(text), "S4", || format!("a long number is said: {text}"))?;
        self.promised |= text.contains(CALLBACK_PROMISE);
        if text == BROKEN.es && matches!(input, Some(Input::Broken { .. })) {
            return Ok(());
        }
        if reply == ReplyId(0) {
            return self.greet(text);
        }
        let (newest, running) = (self.newest, self.running().map(|(turn, watched)| (turn, watched.reply)));
        ensure(newest == Some(reply), "no superseded number", || format!("{text} under {}", reply.0))?;
        let Some((turn, _)) = running.filter(|(_, of)| *of == reply) else {
            return ensure(false, "no superseded number", || {
                format!("{text} under {} outside a turn", reply.0)
            });
        };
        if self.profile.filler == Some(text) && matches!(input, Some(Input::Tick)) {
            let watched = self.turn(turn)?;
            let first = !std::mem::replace(&mut watched.filler, true) && watched.words == 0;
            return ensure(first, "S3", || format!("turn {turn} has two fillers, or one too late"));
        }
        self.check_alarm(turn, text)?;
        self.check_support(turn, text)?;
        self.turn(turn)?.words += 1;
        Ok(())
    }

    /// The first words of a call come once, and to somebody (E11).
    fn greet(&mut self, text: &str) -> Judged {
        self.greetings += 1;
        let times = self.greetings;
        ensure(times == 1, "one greeting", || format!("the call is greeted {times} times"))?;
        ensure(!self.lost, "one greeting", || "nobody is there to be greeted".to_owned())?;
        let plain =
            text.starts_with("Hola") && !text.contains(|c: char| c.is_ascii_digit() || "{}".contains(c));
        ensure(plain, "S2", || format!("a strange greeting: {text}"))
    }

    fn emergency(&self, flag: RedFlag) -> String {
        let phrase = match flag {
            RedFlag::Fire => EMERGENCY_FIRE,
            RedFlag::Breathing => EMERGENCY_BREATHING,
            RedFlag::Other => EMERGENCY_OTHER,
        };
        let number = self.settings.text(&settings::EMERGENCY_NUMBER, self.profile.channel);
        phrase.es.replace("{numero}", number)
    }

    /// Where there is danger its text comes first; where there is none it never does (S1).
    fn check_alarm(&mut self, turn: u32, text: &str) -> Judged {
        let all = [RedFlag::Fire, RedFlag::Breathing, RedFlag::Other];
        let said = all.into_iter().find(|flag| self.emergency(*flag) == text);
        self.alarmed |= said.is_some();
        let Watched { words, danger, may_alarm, .. } = *self.turn(turn)?;
        if words > 0 {
            return ensure(said.is_none(), "S1", || "an alarm after other words".to_owned());
        }
        // Without anything new to say it for, an alarm may be repeated.
        let told = || self.known.patient().any(|(_, line)| self.flag(&line.text) == said);
        let right = match danger {
            Some(_) => said == danger || said == may_alarm,
            None => said.is_none() || told(),
        };
        ensure(right, "S1", || format!("danger {may_alarm:?} was answered with: {text}"))
    }

    /// A turn with danger has been answered by the end of its step; new dangerous lines have been shown (S1).
    pub(super) fn check_alerts(&mut self, input: Option<&Input>) -> Judged {
        let Some(Input::Asked { .. } | Input::Heard(_) | Input::Spoken(_) | Input::Patient(_)) = input else {
            return Ok(());
        };
        self.read_dangers();
        let unanswered = self.running().filter(|(_, watched)| watched.danger.is_some() && watched.words == 0);
        ensure(unanswered.is_none(), "S1", || format!("not answered at once: {unanswered:?}"))?;
        let missing = self.known.patient().find_map(|(at, line)| {
            self.flag(&line.text).filter(|flag| !self.alerts.contains(&(at, *flag))).map(|flag| (at, flag))
        });
        ensure(missing.is_none(), "S1", || format!("no alert card for {missing:?}"))
    }

    /// A danger is shown once for each line (S1).
    pub(super) fn alert(&mut self, payload: &Value) -> Judged {
        let line = payload["line"].as_u64().unwrap_or_default() as usize;
        let flag: Option<RedFlag> = serde_json::from_value(payload["flag"].clone()).ok();
        let new = flag.is_some_and(|flag| self.alerts.insert((line, flag)));
        ensure(new, "S1", || format!("the alert {payload} was shown twice"))
    }

    /// What isn't a phrase of ours rests on what this call's requests carried (S2).
    fn check_support(&mut self, turn: u32, text: &str) -> Judged {
        let profile = self.profile;
        let fixed = [profile.holding, profile.holding_again, FAREWELL.es, REMINDER.es];
        let alarm = [RedFlag::Fire, RedFlag::Breathing, RedFlag::Other].map(|flag| self.emergency(flag));
        if fixed.contains(&text) || alarm.iter().any(|alarm| alarm == text) {
            return Ok(());
        }
        ensure(!leaks(text), "S2", || format!("words of the prompt: {text}"))?;
        let made = self.turn(turn)?.support.take();
        let watched = self.turn(turn)?.clone();
        let support = made.unwrap_or_else(|| Box::new(self.support(&watched, &watched.question)));
        let mut holds = support.check(text).may_leave();
        self.turn(turn)?.support = Some(support);
        // A search names the equipment in play; what the turn itself names is what reduces its rows.
        holds = holds || self.support(&watched, &watched.own).check(text).may_leave();
        // An answer to 'which equipment?' is an answer to the question that waited.
        if let Some(question) = self.waiting.clone().filter(|_| !holds && !watched.named.is_empty()) {
            holds = self.support(&watched, &question).check(text).may_leave();
        }
        ensure(holds, "S2", || format!("nothing holds this: {text}"))
    }

    fn support(&self, watched: &Watched, question: &str) -> Support {
        let admitted = |row: &&Chunk| self.permits(&watched.named, &watched.filter, &row.source);
        let newest = |count: usize| count.saturating_sub(EVIDENCE);
        let rows = self.rows.iter().skip(newest(self.rows.len())).filter(admitted);
        let rows: Vec<Chunk> = rows.filter(|_| !watched.asks_equipment).cloned().collect();
        let lessons = self.lessons.iter().skip(newest(self.lessons.len())).map(String::as_str);
        let lessons: Vec<&str> = lessons.filter(|_| !watched.asks_equipment).collect();
        let heard: Vec<&str> = self.known.patient().map(|(_, line)| line.text.as_str()).collect();
        Support::new(&rows, &lessons, &heard, question, &self.known.ever(), self.catalogue)
    }
}

/// Whether a text has a run of the prompt's words.
pub(super) fn leaks(text: &str) -> bool {
    let words = |text: &str| -> Vec<String> {
        let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
        words.map(str::to_lowercase).collect()
    };
    let said = words(text);
    PROMPT.lines().any(|line| {
        let secret = words(line);
        secret.windows(RUN).any(|run| said.windows(RUN).any(|other| run == other))
    })
}
