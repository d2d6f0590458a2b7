//! Retell's payload of `suggestion_generated`: tokens included, since the bot pays for them (E10).
use crate::call::Answered;
use serde_json::{Value, json};

/// The payload; its fields keep the documents' names (DECISIONS 15).
pub fn suggestion_payload(answered: &Answered) -> Value {
    let Answered { text, usage, rag, responder, prompt, first_token_ms, llm_ms, turn_ms } = answered;
    json!({
        "text": text,
        "promptTokens": usage.prompt_tokens,
        "cachedTokens": usage.cached_tokens,
        "completionTokens": usage.completion_tokens,
        "ragHit": rag.hit,
        "ragScore": rag.score,
        "source": rag.source,
        "section": rag.section,
        "responder": responder,
        "prompt": prompt,
        "firstTokenMs": first_token_ms,
        "llmMs": llm_ms,
        "turnMs": turn_ms,
    })
}
