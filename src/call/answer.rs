//! From what was found to what is said: the prompt, sentence by sentence, and how a turn ends (I11).
use super::lock::Held;
use super::turn::{Occasion, Phase, Running};
use super::{Call, Closing, Output};
use crate::event::{Kind, News};
use crate::generation::{Failure, FailureKind, Grounding, Request, Usage};
use crate::ids::{ReplyId, TurnId};
use crate::phrases::{self, BLOCK_ASK_EQUIPMENT, BLOCK_EMERGENCY, BLOCK_REMINDER};
use crate::prompt::{self, Parts};
use crate::retrieval::decide::{self, Decision, Outcome, Thresholds};
use crate::retrieval::plan::Step;
use crate::retrieval::report::{KnowledgeQueried, Rag};
use crate::retrieval::{Chunk, Found, LessonCandidate, block};
use crate::settings;
use crate::suggestion::Gone;
use crate::summary::Of;
use serde_json::json;
use std::time::{Duration, Instant};

/// How long a model may take for a whole answer.
const GENERATION: Duration = Duration::from_secs(20);

impl Call {
    pub(super) fn retrieved(&mut self, id: TurnId, found: Result<Found, Failure>, now: Instant) {
        let awaited = |turn: &&Running| turn.id == id && turn.phase == Phase::Retrieving;
        let Some(turn) = self.running.as_ref().filter(awaited) else { return };
        let thresholds = Thresholds::resolve(&turn.settings, self.spec.profile);
        let scope = self.spec.profile.channel;
        let found = match found {
            Ok(found) => found,
            Err(failure) => {
                self.record_failed_search(&failure.detail);
                return self.generate(Vec::new(), Vec::new(), now);
            }
        };
        let catalogue = self.spec.catalogue;
        let decision =
            decide::decide(&found, &turn.plan, &turn.codes, &thresholds, self.spec.scale, catalogue);
        let payload = KnowledgeQueried::searched(&turn.plan, &found, &decision, scope, &thresholds);
        self.record(Kind::KnowledgeQueried, json!(payload));
        self.ground(decision, now);
    }

    fn ground(&mut self, decision: Decision, now: Instant) {
        let Some(turn) = &mut self.running else { return };
        turn.rag = Rag::of(&decision);
        let lessons = decision.lessons;
        let rows: Vec<Chunk> = match decision.outcome {
            Outcome::Hit(rows) => rows.into_iter().map(|row| row.chunk).collect(),
            Outcome::Ask => {
                turn.grounding = Grounding::AskEquipment;
                let question = turn.question.clone();
                self.wait_for_equipment(question);
                return self.generate(Vec::new(), lessons, now);
            }
            Outcome::Miss(_) => return self.generate(Vec::new(), lessons, now),
        };
        turn.grounding = Grounding::Rows(rows.clone());
        let held = Held {
            rows: rows.clone(),
            lessons: lessons.clone(),
            rag: turn.rag.clone(),
            equipment: turn.plan.equipment.clone(),
        };
        self.held = self.spec.profile.lock_context.then_some(held);
        self.generate(rows, lessons, now);
    }

    /// Asks the model, with this turn's context riding on its last message (R21).
    pub(super) fn generate(&mut self, rows: Vec<Chunk>, lessons: Vec<LessonCandidate>, now: Instant) {
        let titled = self.titled();
        let rows: Vec<Chunk> = rows.into_iter().map(|row| block::discreet(row, &titled)).collect();
        self.learn(&rows, &lessons);
        let context = self.context(&rows, &lessons);
        let grounds = self.grounds();
        let Some(turn) = &mut self.running else { return };
        turn.grounds = grounds;
        if let Grounding::Rows(grounding) = &mut turn.grounding {
            *grounding = rows;
        }
        turn.grounding = match (turn.occasion, std::mem::replace(&mut turn.grounding, Grounding::Nothing)) {
            (Occasion::Farewell, _) => Grounding::Farewell,
            (Occasion::Reminder, _) => Grounding::Reminder,
            (Occasion::Question, grounding) => grounding,
        };
        if turn.reply.is_none() {
            self.copilot.deck.grounded(&turn.rag);
        }
        turn.phase = Phase::Generating;
        turn.generated_at = Some(now);
        turn.due = now + GENERATION;
        if let Some((turn, request)) = self.request(&context) {
            self.outbox.push_back(Output::Generate { turn, request });
        }
    }

    fn request(&self, context: &[String]) -> Option<(TurnId, Box<Request>)> {
        let turn = self.running.as_ref()?;
        let profile = self.spec.profile;
        let messages = prompt::messages(&Parts {
            prompt: &self.spec.prompt,
            system_extras: self.extras.as_deref().unwrap_or_default(),
            history: &turn.history,
            history_limit: profile.history.map(|limit| limit.resolve(&turn.settings, profile.channel)),
            context,
            last: &turn.last,
        });
        let request = Request {
            messages,
            max_tokens: u32::try_from(profile.max_tokens.resolve(&turn.settings, profile.channel))
                .unwrap_or(u32::MAX),
            grounding: turn.grounding.clone(),
            holding: self.holding(),
            cache_key: self.prompt_name(),
        };
        Some((turn.id, Box::new(request)))
    }

    fn titled(&self) -> impl Fn(&Chunk) -> bool + use<> {
        block::titled(self.spec.catalogue, &self.sticky.ever())
    }

    /// RAG context, then turn context, in this order (E5).
    fn context(&self, rows: &[Chunk], lessons: &[LessonCandidate]) -> Vec<String> {
        let Some(turn) = &self.running else { return Vec::new() };
        let situation = match (turn.occasion, &turn.grounding) {
            _ if self.emergency.is_some() => Some(BLOCK_EMERGENCY.es),
            (Occasion::Reminder, _) => Some(BLOCK_REMINDER.es),
            (_, Grounding::AskEquipment) => Some(BLOCK_ASK_EQUIPMENT.es),
            _ => None,
        };
        let mut context = block::context(rows, lessons, situation, self.titled());
        let fixed = turn.settings.text(&settings::FIXED_CONTEXT, self.spec.profile.channel);
        if !fixed.is_empty() {
            context.insert(0, fixed.to_owned());
        }
        if turn.reply.is_none() {
            context.extend(self.copilot_blocks());
        }
        context
    }

    pub(super) fn delta(&mut self, id: TurnId, text: &str, now: Instant) {
        let Some(turn) = self.generating(id) else { return };
        turn.first_delta_at.get_or_insert(now);
        let sentences = turn.sentences.push(text);
        self.release(sentences);
        self.show_partial();
    }

    pub(super) fn finished(&mut self, id: TurnId, usage: Usage, now: Instant) {
        let Some(turn) = self.generating(id) else { return };
        let rest = turn.sentences.flush();
        self.release(rest.into_iter().collect());
        let Some(turn) = &self.running else { return };
        if turn.said.is_empty() {
            let detail = "the model answered with nothing to say; check the prompt and the model".to_owned();
            return self.fail(&Failure { kind: FailureKind::Upstream, detail });
        }
        let responder = self.spec.responder.clone();
        let then = if turn.occasion == Occasion::Farewell { Closing::HangUp } else { Closing::Stay };
        self.complete(then, usage, &responder, now);
    }

    /// Ends the turn with what was said in it (I11, E10).
    pub(super) fn complete(&mut self, then: Closing, usage: Usage, responder: &str, now: Instant) {
        let Some(turn) = &self.running else { return };
        let hands_over = matches!(then, Closing::Transfer(_));
        let answered = turn.report(usage, responder, &self.prompt_name(), now);
        let payload = match turn.reply {
            Some(reply) => {
                let news = turn.answer(true);
                self.outbox.push_back(Output::Close { reply, then });
                self.tell(news);
                self.spec.profile.suggestion_payload.map(|payload| payload(&answered))
            }
            None => self.show_whole(turn.id, &answered),
        };
        if let Some(payload) = payload {
            self.record(Kind::SuggestionGenerated, payload);
        }
        self.settle_pending();
        self.note(false);
        self.running = None;
        if hands_over {
            self.write_down(Of::HandOver);
        }
        self.outbox.push_back(Output::Remember);
    }

    /// A question that waited is settled once its answer, or another one, was given: not by a fixed text.
    fn settle_pending(&mut self) {
        let Some(turn) = &self.running else { return };
        let settled = match turn.grounding {
            Grounding::AskEquipment => false,
            Grounding::Rows(_) => true,
            _ => turn.phase == Phase::Generating && turn.plan.step == Step::AnsweredAsk,
        };
        if settled {
            self.pending = None;
        }
    }

    pub(super) fn failed(&mut self, id: TurnId, failure: &Failure) {
        if self.generating(id).is_some() {
            self.fail(failure);
        }
    }

    /// Ends the turn in failure: what the model had begun stands, else the channel's sentence is said. A card
    /// shows the failure itself (E9).
    pub(super) fn fail(&mut self, failure: &Failure) {
        let Some(turn) = &mut self.running else { return };
        drop(turn.sentences.flush()); // half a sentence isn't said
        match turn.reply {
            Some(reply) => self.excuse(reply, failure),
            None => self.show_failure(failure.kind),
        }
        let responder = self.spec.responder.clone();
        let payload = json!({ "kind": failure.kind, "error": failure.detail, "responder": responder });
        self.record(Kind::TurnFailed, payload);
        self.note(true);
        self.running = None;
        self.outbox.push_back(Output::Remember);
    }

    fn excuse(&mut self, reply: ReplyId, failure: &Failure) {
        let Some(turn) = &self.running else { return };
        let (id, mute) = (turn.id, turn.said.is_empty());
        let (sentence, then) = self.instead(turn.occasion);
        if mute {
            self.say(sentence);
        }
        self.outbox.push_back(Output::Close { reply, then });
        self.tell(News::Failed { turn: id, detail: phrases::failure(failure.kind).es });
    }

    /// Ends the running turn because something newer came (E4, I11).
    pub(super) fn abandon(&mut self) {
        self.abandon_for(Gone::Overtaken);
    }

    /// Ends the running turn if it is the peer's to hear.
    pub(super) fn abandon_answer(&mut self) {
        if self.running.as_ref().is_some_and(|turn| turn.reply.is_some()) {
            self.abandon();
        }
    }

    /// Ends the running turn; `reason` is a card's, and withdraws it by name.
    pub(super) fn abandon_for(&mut self, reason: Gone) {
        let Some(turn) = &self.running else { return };
        let (id, said, card) = (turn.id, turn.said.clone(), turn.reply.is_none());
        self.outbox.push_back(Output::Cancel { turn: id });
        if card {
            let withdrawn = self.copilot.deck.abort(reason);
            self.tell_cards(withdrawn);
            self.record(Kind::TurnAborted, json!({ "said": said, "reason": reason }));
            self.outbox.push_back(Output::Remember); // lest a rebuilt call ends it again
        } else {
            self.tell(News::Aborted { turn: id });
            self.record(Kind::TurnAborted, json!({ "said": said }));
        }
        self.running = None;
    }

    /// The running turn, if it is this one and generates (I3).
    pub(super) fn generating(&mut self, id: TurnId) -> Option<&mut Running> {
        self.running.as_mut().filter(|turn| turn.id == id && turn.phase == Phase::Generating)
    }
}
