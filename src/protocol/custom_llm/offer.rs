//! Which of the platform's system tools a request offers, and what they take. Other tools aren't ours to call.
use super::json::text;
use regex::Regex;
use serde_json::Value;
use std::sync::LazyLock;

/// The most tools that are looked at.
const MOST: usize = 128;

/// A telephone as descriptions write it.
static NUMBER: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"\+[1-9]\d{5,14}\b").ok());

/// A system tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Tool {
    /// Ends the conversation.
    EndCall,
    /// Transfers the caller to a telephone.
    TransferToNumber,
    /// Hands over to another agent of the platform's.
    TransferToAgent,
    /// Changes the language.
    LanguageDetection,
    /// Says nothing this turn.
    SkipTurn,
    /// A machine has answered.
    VoicemailDetection,
    /// Presses keys.
    PlayKeypadTouchTone,
}

impl Tool {
    /// All of them.
    pub const ALL: [Self; 7] = [
        Self::EndCall,
        Self::TransferToNumber,
        Self::TransferToAgent,
        Self::LanguageDetection,
        Self::SkipTurn,
        Self::VoicemailDetection,
        Self::PlayKeypadTouchTone,
    ];

    /// The function's name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::EndCall => "end_call",
            Self::TransferToNumber => "transfer_to_number",
            Self::TransferToAgent => "transfer_to_agent",
            Self::LanguageDetection => "language_detection",
            Self::SkipTurn => "skip_turn",
            Self::VoicemailDetection => "voicemail_detection",
            Self::PlayKeypadTouchTone => "play_keypad_touch_tone",
        }
    }

    fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|tool| tool.name() == name)
    }
}

/// A tool as it is offered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Offer {
    /// Which.
    pub tool: Tool,
    /// The arguments of its schema; empty where it has none: then the documented ones hold.
    pub takes: Vec<String>,
    /// Those that must be there.
    pub requires: Vec<String>,
    /// The telephones that may be transferred to, as the peer writes them; empty where it doesn't tell.
    pub numbers: Vec<String>,
}

/// The system tools that a request offers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Offered(Vec<Offer>);

impl Offered {
    /// Reads a list of tools; whatever isn't a system tool is passed over.
    pub(super) fn read(tools: &Value) -> Self {
        let mut offered = Vec::new();
        for tool in tools.as_array().map_or(&[][..], Vec::as_slice).iter().take(MOST) {
            let function = tool.get("function").unwrap_or(tool);
            let Some(tool) = text(function, "name").and_then(Tool::parse) else { continue };
            if !offered.iter().any(|offer: &Offer| offer.tool == tool) {
                offered.push(Offer::read(tool, function));
            }
        }
        Self(offered)
    }

    /// How a tool is offered, if it is.
    pub fn get(&self, tool: Tool) -> Option<&Offer> {
        self.0.iter().find(|offer| offer.tool == tool)
    }

    /// All that is offered.
    pub fn iter(&self) -> impl Iterator<Item = &Offer> {
        self.0.iter()
    }
}

impl Offer {
    fn read(tool: Tool, function: &Value) -> Self {
        let parameters = function.get("parameters").unwrap_or(&Value::Null);
        let properties = parameters.get("properties").and_then(Value::as_object);
        let required = parameters.get("required").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        let numbers = match tool {
            Tool::TransferToNumber => {
                numbers(function, properties.and_then(|takes| takes.get("transfer_number")))
            }
            _ => Vec::new(),
        };
        Self {
            tool,
            takes: properties.map(|takes| takes.keys().cloned().collect()).unwrap_or_default(),
            requires: required.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
            numbers,
        }
    }
}

/// The telephones: those that the argument lists, or else those that the descriptions name.
fn numbers(function: &Value, argument: Option<&Value>) -> Vec<String> {
    let argument = argument.unwrap_or(&Value::Null);
    let listed = argument.get("enum").and_then(Value::as_array).map_or(&[][..], Vec::as_slice).iter();
    let listed = listed.chain(argument.get("const")).filter_map(Value::as_str);
    let listed: Vec<String> = listed.map(str::to_owned).collect();
    if !listed.is_empty() {
        return listed;
    }
    let mut named = Vec::new();
    for described in [text(argument, "description"), text(function, "description")].into_iter().flatten() {
        for number in NUMBER.as_ref().into_iter().flat_map(|regex| regex.find_iter(described)) {
            if !named.iter().any(|known| known == number.as_str()) {
                named.push(number.as_str().to_owned());
            }
        }
    }
    named
}
