//! Plays a script: speaks, waits, interrupts, and writes down what came back.
use super::agent_frame::AgentFrame;
use super::heard::{Heard, beginnings};
use super::line::{Line, Trouble};
use super::report::{Asked, Exchange, Report};
use super::rules::Rules;
use super::script::{Action, Expect, Script};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::time::Duration;
use tokio::time::Instant;

/// Of a sentence, before it is whole.
const PARTIALS: usize = 3;

/// One call being played.
pub(super) struct Player<'a> {
    pub(super) script: &'a Script,
    url: String,
    pub(super) line: Line,
    pub(super) began: Instant,
    /// What the agent asked to be told with each transcript.
    pub(super) tool_calls: bool,
    pub(super) rules: Rules,
    pub(super) heard: Heard,
    /// Pings sent right after a question: once one comes back, that question was read.
    pub(super) fences: BTreeMap<i64, u64>,
    pub report: Report,
}

impl<'a> Player<'a> {
    /// Dials for the first time.
    pub async fn dial(script: &'a Script, call_id: String, url: String) -> Result<Self, String> {
        let began = Instant::now();
        let line = Line::dial(&url, script.patience()).await?;
        let report = Report { name: script.name.clone(), call_id, sockets: 1, ..Report::default() };
        let (rules, heard, fences) = (Rules::default(), Heard::default(), BTreeMap::new());
        Ok(Self { script, url, line, began, tool_calls: false, rules, heard, fences, report })
    }

    /// Plays to the end, or until the call can't go on. What was seen is in `report` either way.
    pub async fn play(mut self) -> (Report, Result<(), Trouble>) {
        let outcome = self.all().await;
        self.report.breaches = self.rules.breaches;
        self.report.late = self.rules.late;
        self.line.hang_up().await;
        (self.report, outcome)
    }

    async fn all(&mut self) -> Result<(), Trouble> {
        self.configured().await?;
        self.report.exchanges.push(Exchange::new(Asked::Begin, Some(0)));
        self.answer(self.began, self.script.cut_by(0), &self.script.begin).await?;
        for at in 0..self.script.steps.len() {
            if self.report.ended_by_agent {
                return self.ended_before(at);
            }
            self.step(at).await?;
        }
        Ok(())
    }

    async fn step(&mut self, at: usize) -> Result<(), Trouble> {
        let step = &self.script.steps[at];
        let cut = self.script.cut_by(at + 1);
        match &step.action {
            Action::Say(text) => self.say(text, Asked::Said(text.clone()), cut, &step.expect).await,
            Action::BargeIn(barge) => {
                self.say(&barge.say, Asked::BargedIn(barge.say.clone()), cut, &step.expect).await
            }
            Action::Silence => self.ask("reminder_required", Asked::Silence, cut, &step.expect).await,
            Action::DropAndRedial(_) => self.redial().await,
            Action::UpdateOnly(text) => {
                self.report.exchanges.push(Exchange::new(Asked::Noise(text.clone()), None));
                self.heard.caller_so_far(text);
                self.update(&[]).await?;
                self.settle().await
            }
            Action::HangUp => {
                self.report.exchanges.push(Exchange::new(Asked::HungUp, None));
                Ok(())
            }
        }
    }

    /// The script goes on, but there is nobody to talk to.
    fn ended_before(&mut self, at: usize) -> Result<(), Trouble> {
        let hangs_up = matches!(self.script.steps[at].action, Action::HangUp);
        if let Some(last) = self.report.exchanges.last_mut().filter(|_| !hangs_up) {
            last.failures
                .push(format!("expected the call to go on with step {}, but the agent hung up", at + 1));
        }
        Ok(())
    }

    /// Waits for the agent's config on a new socket, and tells it what it wants to know.
    async fn configured(&mut self) -> Result<(), Trouble> {
        let from = Instant::now();
        loop {
            match self.frame(self.wait("the agent's config frame", from)).await? {
                AgentFrame::Config { call_details, .. } => {
                    return if call_details { self.tell_details().await } else { Ok(()) };
                }
                _ => self.rules.breach("a frame before the config frame".to_owned()),
            }
        }
    }

    async fn tell_details(&mut self) -> Result<(), Trouble> {
        let details = &self.script.call_details;
        if details.never {
            return Ok(());
        }
        let frame = json!({"interaction_type": "call_details", "call": {
            "call_id": self.report.call_id, "agent_id": "agent_scripted", "call_type": "phone_call",
            "call_status": "registered", "direction": "inbound",
            "from_number": "+541155550100", "to_number": "+541155550101",
            "metadata": details.metadata, "retell_llm_dynamic_variables": details.variables,
            "opt_out_sensitive_data_storage": false}});
        match details.after_ms {
            0 => self.line.send(frame.to_string()).await,
            ms => {
                self.line.send_later(Instant::now() + Duration::from_millis(ms), frame.to_string());
                Ok(())
            }
        }
    }

    /// Says something, as a recogniser hands it over: bit by bit, then whole with a question mark.
    async fn say(
        &mut self,
        text: &str,
        asked: Asked,
        cut: Option<usize>,
        expect: &Expect,
    ) -> Result<(), Trouble> {
        for beginning in beginnings(text, PARTIALS) {
            self.heard.caller_so_far(&beginning);
            self.update(&[]).await?;
        }
        self.heard.caller(text);
        self.ask("response_required", asked, cut, expect).await
    }

    async fn ask(
        &mut self,
        kind: &str,
        asked: Asked,
        cut: Option<usize>,
        expect: &Expect,
    ) -> Result<(), Trouble> {
        let id = self.rules.ask();
        self.report.exchanges.push(Exchange::new(asked, Some(id)));
        let asked_at = Instant::now();
        self.line.send(self.heard.frame(kind, self.tool_calls, &[("response_id", json!(id))])).await?;
        if self.line.is_pinging() {
            let fence = self.line.ping().await?;
            self.fences.insert(fence, id);
        }
        // An update never ends an answer, and Retell sends one just before the agent speaks.
        self.update(&[("turntaking", json!("agent_turn"))]).await?;
        self.answer(asked_at, cut, expect).await
    }

    pub(super) async fn update(&mut self, more: &[(&str, Value)]) -> Result<(), Trouble> {
        self.line.send(self.heard.frame("update_only", self.tool_calls, more)).await
    }

    async fn redial(&mut self) -> Result<(), Trouble> {
        self.report.exchanges.push(Exchange::new(Asked::Redialled, None));
        self.rules.redialled();
        self.fences.clear();
        // The old line is dropped without a goodbye: that is what a broken one looks like.
        let dialled = Line::dial(&self.url, self.script.patience()).await;
        self.line = dialled.map_err(|why| Trouble::Broken(format!("redialling failed: {why}")))?;
        self.report.sockets += 1;
        self.configured().await?;
        self.update(&[]).await?;
        // After a broken-off answer the agent may still send its rest: it belongs to the newest id.
        if self.cut_off() { Ok(()) } else { self.settle().await }
    }

    fn cut_off(&self) -> bool {
        self.report.exchanges.iter().rev().find(|e| e.response_id.is_some()).is_some_and(|e| !e.complete)
    }
}
