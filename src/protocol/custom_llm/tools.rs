//! What is to happen to the line, as a call of a system tool that the peer offers; its own and webhooks' never.
use super::offer::{Offer, Offered, Tool};
use crate::call::Closing;
use crate::phrases::{GOODBYE, TRANSFERRED, TRANSFERRING};
use serde::ser::{Serialize, SerializeMap, Serializer};
use sha2::{Digest, Sha256};

/// A call that goes out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolCall {
    /// Its id: the same for the same answer, another for each call.
    pub id: String,
    /// The tool.
    pub tool: Tool,
    /// The arguments, one JSON object.
    pub arguments: String,
}

/// What the people on the line are told along with a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Words<'a> {
    /// Why, for the peer's log: nobody's words and nobody's data.
    pub reason: &'a str,
    /// What the patient still has to hear. `None`: the answer has said it, and it isn't said twice unless the
    /// tool insists on a sentence.
    pub to_patient: Option<&'a str>,
    /// What the person hears who takes the call.
    pub to_person: &'a str,
}

impl Default for Words<'_> {
    fn default() -> Self {
        Self { reason: "the conversation is over", to_patient: None, to_person: TRANSFERRED.es }
    }
}

/// Why nothing happens to the line although something should.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Withheld {
    /// The tool isn't offered.
    #[error("the peer doesn't offer `{}`; enable it among the agent's system tools", .0.name())]
    NotOffered(Tool),
    /// The telephone isn't one of those that the tool takes.
    #[error(
        "the peer's `transfer_to_number` lists {allowed} telephones and the configured one isn't among them; enter it there"
    )]
    NumberNotListed {
        /// How many it lists.
        allowed: usize,
    },
    /// The tool insists on an argument that we know nothing of.
    #[error("the peer's `{}` requires `{argument}`, which this version doesn't know", .tool.name())]
    Unknown {
        /// The tool.
        tool: Tool,
        /// The argument.
        argument: String,
    },
}

/// The call that ends or transfers the conversation as `closing` wants it; `None` where the talk goes on.
/// `completion` is the answer's id, `index` the call's place in it.
///
/// # Errors
/// [`Withheld`] if the peer can't be asked to: whoever answers must then say what the patient can do.
pub fn call_for(
    closing: &Closing,
    offered: &Offered,
    words: Words<'_>,
    completion: &str,
    index: usize,
) -> Result<Option<ToolCall>, Withheld> {
    let tool = match closing {
        Closing::Stay => return Ok(None),
        Closing::HangUp => Tool::EndCall,
        Closing::Transfer(_) => Tool::TransferToNumber,
    };
    let offer = offered.get(tool).ok_or(Withheld::NotOffered(tool))?;
    let number = match closing {
        Closing::Transfer(number) => Some(listed(number, offer)?),
        Closing::Stay | Closing::HangUp => None,
    };
    let arguments = arguments(offer, number, words)?;
    // It holds texts only; nothing in it can fail to be written.
    let arguments = serde_json::to_string(&arguments).unwrap_or_else(|_| "{}".to_owned());
    Ok(Some(ToolCall { id: id(completion, index), tool, arguments }))
}

/// The number as the peer writes it.
fn listed<'a>(number: &'a str, offer: &'a Offer) -> Result<&'a str, Withheld> {
    let digits = |text: &str| text.chars().filter(char::is_ascii_digit).collect::<String>();
    let ours = digits(number);
    match offer.numbers.iter().find(|listed| digits(listed) == ours) {
        Some(listed) => Ok(listed),
        None if offer.numbers.is_empty() => Ok(number),
        None => Err(Withheld::NumberNotListed { allowed: offer.numbers.len() }),
    }
}

/// Arguments, in a fixed order.
struct Arguments<'a>(Vec<(&'static str, &'a str)>);

impl Serialize for Arguments<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        self.0.iter().try_for_each(|(name, value)| map.serialize_entry(name, value))?;
        map.end()
    }
}

/// A sentence for the patient goes by one of these names, whichever the schema knows; the last is in offers that
/// were seen and in no document.
const SPOKEN: [&str; 3] = ["message", "client_message", "system__message_to_speak"];

/// What the tool takes, as far as it must be filled in or there is something to say.
fn arguments<'a>(
    offer: &Offer,
    number: Option<&'a str>,
    words: Words<'a>,
) -> Result<Arguments<'a>, Withheld> {
    let (documented, insists): (&[&'static str], &'static str) = match number {
        Some(_) => (&["transfer_number", "client_message", "agent_message", "reason"], TRANSFERRING.es),
        None => (&["reason", "message"], GOODBYE.es),
    };
    let required = |name: &str| match offer.takes.is_empty() && offer.requires.is_empty() {
        true => documented.contains(&name) && name != "message",
        false => offer.requires.iter().any(|required| required == name),
    };
    let takes = |name: &str| match offer.takes.is_empty() {
        true => documented.contains(&name) || required(name),
        false => offer.takes.iter().any(|known| known == name) || required(name),
    };
    let mut filled = Vec::new();
    let mut said = false;
    for name in ["transfer_number", "reason"].into_iter().chain(SPOKEN).chain(["agent_message"]) {
        let spoken = SPOKEN.contains(&name);
        let value = match name {
            "transfer_number" => number,
            "agent_message" => Some(words.to_person),
            "reason" => Some(words.reason),
            _ if required(name) => words.to_patient.or(Some(insists)),
            _ => words.to_patient.filter(|_| !said),
        };
        if let Some(value) = value.filter(|_| takes(name)) {
            said |= spoken;
            filled.push((name, value));
        }
    }
    let unknown = offer.requires.iter().find(|name| !filled.iter().any(|(known, _)| known == name));
    match unknown {
        Some(argument) => Err(Withheld::Unknown { tool: offer.tool, argument: argument.clone() }),
        None => Ok(Arguments(filled)),
    }
}

/// `call_` and 24 hexadecimal digits: providers take ids of up to 40 characters.
fn id(completion: &str, index: usize) -> String {
    let digest = Sha256::digest(format!("{}:{completion}:{index}", completion.len()));
    let digits: String = digest.iter().take(12).map(|byte| format!("{byte:02x}")).collect();
    format!("call_{digits}")
}
