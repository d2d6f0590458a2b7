//! The agent's frames as Retell takes them: strict about types, since Retell drops wrong ones silently.
use serde_json::Value;

/// A frame of the agent's.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum AgentFrame {
    /// What the agent wants to be told.
    Config { auto_reconnect: bool, call_details: bool, tool_calls: bool },
    /// A ping's echo.
    PingPong { timestamp: i64 },
    /// A piece of an answer.
    Response(Piece),
    /// Another kind that Retell knows, of no concern here.
    Other,
}

/// A piece of an answer.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Piece {
    pub id: u64,
    pub content: String,
    pub complete: bool,
    pub end_call: bool,
}

/// The kinds that are legal, but that no script judges.
const OTHERS: [&str; 5] =
    ["agent_interrupt", "tool_call_invocation", "tool_call_result", "update_agent", "metadata"];

/// Reads a frame. The error says what Retell would have dropped, or misread.
pub(super) fn read(frame: &Value) -> Result<AgentFrame, String> {
    let kind = frame.get("response_type").and_then(Value::as_str);
    match kind.ok_or("a frame without a text `response_type`")? {
        "config" => config(frame.get("config").ok_or("a config frame without `config`")?),
        "ping_pong" => {
            let timestamp = frame.get("timestamp").and_then(Value::as_i64);
            let timestamp = timestamp.ok_or("a ping's echo without a whole number as `timestamp`")?;
            Ok(AgentFrame::PingPong { timestamp })
        }
        "response" => response(frame).map(AgentFrame::Response),
        kind if OTHERS.contains(&kind) => Ok(AgentFrame::Other),
        kind => Err(format!("a frame of the unknown kind `{kind}`")),
    }
}

fn config(config: &Value) -> Result<AgentFrame, String> {
    Ok(AgentFrame::Config {
        auto_reconnect: flag(config, "auto_reconnect")?,
        call_details: flag(config, "call_details")?,
        tool_calls: flag(config, "transcript_with_tool_calls")?,
    })
}

fn response(frame: &Value) -> Result<Piece, String> {
    let id = frame.get("response_id").and_then(Value::as_u64);
    let id = id.ok_or("a response without a whole number as `response_id`")?;
    let content = frame.get("content").and_then(Value::as_str);
    let content = content.ok_or_else(|| format!("a response of id {id} without a text as `content`"))?;
    if !frame.get("content_complete").is_some_and(Value::is_boolean) {
        return Err(format!("a response of id {id} whose `content_complete` is neither true nor false"));
    }
    let (complete, end_call) = (flag(frame, "content_complete")?, flag(frame, "end_call")?);
    Ok(Piece { id, content: content.to_owned(), complete, end_call })
}

/// An optional switch: absent and null are off.
fn flag(of: &Value, name: &str) -> Result<bool, String> {
    match of.get(name) {
        None | Some(Value::Null) => Ok(false),
        Some(Value::Bool(flag)) => Ok(*flag),
        Some(_) => Err(format!("a frame whose `{name}` is neither true nor false")),
    }
}
