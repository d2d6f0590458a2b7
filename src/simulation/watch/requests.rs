//! What a search and a model are asked: only known equipment, one system message, no filler (I12, S6, E5, R20).
use super::super::stores;
use super::turns::Phase;
use super::{Judged, Watch, ensure};
use crate::generation::{Grounding, Request, Role};
use crate::phrases::{BLOCK_EMERGENCY, LESSONS_HEADER, MANUAL_HEADER};
use crate::retrieval::Search;

impl Watch {
    pub(super) fn retrieve(&mut self, turn: u32, search: &Search) -> Judged {
        self.works(turn, Phase::Searching)?;
        let watched = self.turn(turn)?;
        watched.question.clone_from(&search.text);
        if watched.card {
            watched.filter.clone_from(&search.filter); // its lines are the call's to know
        }
        let expected = watched.filter.clone();
        self.check_on_file(&search.text)?;
        ensure(search.filter == expected, "I12", || {
            format!("the search is restricted to {:?}, expected {expected:?}", search.filter)
        })
    }

    pub(super) fn generate(&mut self, turn: u32, request: &Request) -> Judged {
        self.works(turn, Phase::Answering)?;
        let asks = request.grounding == Grounding::AskEquipment;
        self.turn(turn)?.asks_equipment = asks;
        if asks {
            self.waiting = Some(self.turn(turn)?.question.clone());
        }
        self.check_rows(turn, request)?;
        self.check_messages(request)?;
        if let Grounding::Rows(rows) = &request.grounding {
            for row in rows {
                self.rows.retain(|known| known != row);
                self.rows.push(row.clone());
            }
        }
        Ok(())
    }

    /// Whatever rows the request holds, as values or in its text: of known equipment, and not while it is
    /// asked for.
    fn check_rows(&mut self, turn: u32, request: &Request) -> Judged {
        let (named, filter) = (self.turn(turn)?.named.clone(), self.turn(turn)?.filter.clone());
        let prompt = request.messages.last().map_or("", |message| message.content.as_str());
        let carried =
            stores::rows().filter(|row| prompt.contains(&format!("{} — {}\n", row.section, row.row)));
        let carried: Vec<String> = carried.map(|row| row.source).collect();
        let given: Vec<String> = match &request.grounding {
            Grounding::Rows(rows) => rows.iter().map(|row| row.source.clone()).collect(),
            _ => carried.clone(),
        };
        let foreign = carried.iter().chain(&given).find(|source| !self.permits(&named, &filter, source));
        ensure(foreign.is_none(), "I12", || format!("{foreign:?} with {:?}", self.known.ever()))?;
        let same = carried.len() == given.len() && given.iter().all(|source| carried.contains(source));
        ensure(same, "I12", || format!("the prompt carries {carried:?}, the request {given:?}"))?;
        let asks = request.grounding == Grounding::AskEquipment;
        ensure(!asks || !prompt.contains(MANUAL_HEADER), "S6", || format!("asking, with a manual: {prompt}"))
    }

    fn check_messages(&mut self, request: &Request) -> Judged {
        let [system, history @ .., last] = request.messages.as_slice() else {
            return ensure(false, "E5", || "a request without a turn to answer".to_owned());
        };
        let first = self.system.get_or_insert_with(|| system.content.clone());
        ensure(*first == system.content, "E5", || "the system message has changed".to_owned())?;
        ensure(!system.content.contains("Inogen"), "R20", || system.content.clone())?;
        request.messages.iter().try_for_each(|message| self.check_on_file(&message.content))?;
        let filler = |text: &str| self.profile.filler.is_some_and(|filler| text.contains(filler));
        let heard = history.iter().find(|m| m.role == Role::Assistant && filler(&m.content));
        ensure(heard.is_none(), "no filler in the history", || format!("{heard:?}"))?;
        ensure(!self.alarmed || last.content.contains(BLOCK_EMERGENCY.es), "S1", || {
            "the model isn't told of the emergency".to_owned()
        })?;
        self.learn_lessons(&last.content);
        Ok(())
    }

    /// Equipment on file filters, and is told to nobody before the patient names it (R20).
    fn check_on_file(&self, text: &str) -> Judged {
        let said = |model: &str| self.known.patient().any(|(_, line)| line.text.contains(model));
        let unnamed = self.known.on_file.iter().filter(|model| !self.known.named.contains_key(model));
        let told = unnamed.map(|model| model.as_str()).find(|model| text.contains(model) && !said(model));
        ensure(told.is_none(), "R20", || format!("{told:?} is on file only, and told: {text}"))
    }

    fn learn_lessons(&mut self, prompt: &str) {
        if !prompt.contains(LESSONS_HEADER) {
            return;
        }
        for answer in stores::lessons().filter(|answer| prompt.contains(&*crate::mask::mask(answer))) {
            self.lessons.retain(|known| known != answer);
            self.lessons.push(answer.to_owned());
        }
    }
}
