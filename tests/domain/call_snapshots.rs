//! The exact sequence of five turns: Retell's frames, what the desk sees, what the event log keeps (E11).
use super::fixture::{CAP, Line, failure, h08, near, row};
use aura::call::{Closing, Input, Output};
use aura::generation::{Grounding, Usage};
use aura::protocol::retell::Outbound;
use serde_json::json;

/// A Retell call whose steps are written down.
struct Tape {
    line: Line,
    text: String,
}

impl Tape {
    /// Connected and greeted.
    fn greeted() -> Self {
        let mut tape = Self { line: Line::retell(), text: String::new() };
        let outputs = tape.line.step(Input::PeerConnected);
        tape.write("the peer connects", &outputs);
        tape.line.agent("Hola, habla Aura.");
        tape
    }

    fn write(&mut self, happened: &str, outputs: &[Output]) {
        self.text.push_str(&format!("# {happened}\n"));
        for output in outputs {
            let line = match output {
                Output::Say { reply, text } => frame(reply.0, &format!("{text} "), false, Closing::Stay),
                Output::Close { reply, then } => frame(reply.0, "", true, then.clone()),
                Output::Tell(news) => format!("desk  {}", json!(self.line.call.desk_event(news.clone()))),
                Output::Record(event) => format!("event {}", json!(event)),
                Output::Retrieve { turn, search, .. } => format!("work  search {turn}: {}", search.text),
                Output::Generate { turn, request } => {
                    format!(
                        "work  generate {turn}: {} of {} tokens",
                        ground(&request.grounding),
                        request.max_tokens
                    )
                }
                Output::Search { .. } => continue,
                Output::LookUp { ask, dni } => format!("work  look up {ask}: {dni}"),
                Output::Cancel { turn } => format!("work  cancel {turn}"),
                Output::End => "work  end".to_owned(),
                Output::Remember | Output::ReadAgain { .. } | Output::Summarise(_) => continue,
            };
            self.text.push_str(&line);
            self.text.push('\n');
        }
    }

    fn patient(&mut self, text: &str) {
        let outputs = self.line.patient(text);
        self.write(&format!("the patient: {text}"), &outputs);
    }

    fn step(&mut self, happened: &str, input: Input) {
        let outputs = self.line.step(input);
        self.write(happened, &outputs);
    }

    fn found(&mut self) {
        self.line.wait(40);
        let outputs = self.line.find([h08(0.75), near(row(CAP, "Recarga", "Llame para pedirla."), 0.5)]);
        self.write("the stores answer after 40 ms", &outputs);
    }

    fn delta(&mut self, text: &str) {
        self.line.wait(200);
        let outputs = self.line.delta(text);
        self.write(&format!("the model, 200 ms later: {text}"), &outputs);
    }

    fn finish(&mut self) {
        self.line.wait(100);
        let usage = Usage { prompt_tokens: Some(900), cached_tokens: Some(512), completion_tokens: Some(30) };
        self.step("the model is done 100 ms later", Input::Finished { turn: self.line.turn(), usage });
    }
}

/// As the door of Retell renders it.
fn frame(reply: u64, content: &str, content_complete: bool, then: Closing) -> String {
    let response_id = aura::ids::ReplyId(reply);
    let frame = Outbound::Response { response_id, content: content.to_owned(), content_complete, then };
    format!("frame {frame}")
}

fn ground(grounding: &Grounding) -> &'static str {
    match grounding {
        Grounding::Rows(_) => "rows",
        Grounding::AskEquipment => "ask equipment",
        Grounding::Farewell => "farewell",
        Grounding::Reminder => "reminder",
        Grounding::Nothing => "nothing",
    }
}

const QUESTION: &str = "Hola, tengo un concentrador M50 y me marca error H 8";

#[test]
fn e11_a_normal_turn() {
    let mut tape = Tape::greeted();
    tape.patient(QUESTION);
    tape.found();
    tape.delta("El código H08 indica una falla. Apague el equi");
    tape.delta("po, espere un momento y enciéndalo una sola vez.");
    tape.finish();
    insta::assert_snapshot!("normal_turn", tape.text);
}

#[test]
fn e11_a_farewell() {
    let mut tape = Tape::greeted();
    tape.patient("gracias, chau");
    tape.delta("Gracias por llamar. ");
    tape.delta("Hasta luego.");
    tape.finish();
    insta::assert_snapshot!("farewell", tape.text);
}

#[test]
fn e11_a_short_turn() {
    let mut tape = Tape::greeted();
    tape.patient("sí, dale");
    tape.delta("Perfecto, lo escucho.");
    tape.finish();
    insta::assert_snapshot!("short_turn", tape.text);
}

#[test]
fn e11_an_llm_error_before_a_word() {
    let mut tape = Tape::greeted();
    tape.patient(QUESTION);
    tape.found();
    tape.line.wait(300);
    let broken = failure("the model's server answered 503; try again later");
    tape.step("the model fails 300 ms later", Input::Failed { turn: tape.line.turn(), failure: broken });
    insta::assert_snapshot!("llm_error", tape.text);
}

#[test]
fn e11_an_llm_error_in_the_middle() {
    let mut tape = Tape::greeted();
    tape.patient(QUESTION);
    tape.found();
    tape.delta("El código H08 indica una falla. Apague el");
    let broken = failure("the model's stream broke off");
    tape.step("the model fails", Input::Failed { turn: tape.line.turn(), failure: broken });
    insta::assert_snapshot!("llm_error_in_the_middle", tape.text);
}

#[test]
fn e11_an_abort() {
    let mut tape = Tape::greeted();
    tape.patient(QUESTION);
    tape.found();
    tape.delta("El código H08 indica una falla. Apague el");
    let old = tape.line.turn();
    tape.line.agent("El código H08");
    tape.patient("no, no, espere, es otra cosa");
    tape.step("the old stream goes on", Input::Delta { turn: old, text: " equipo. ".to_owned() });
    tape.step("the old stream ends", Input::Finished { turn: old, usage: Usage::default() });
    insta::assert_snapshot!("abort", tape.text);
}
