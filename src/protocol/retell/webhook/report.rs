//! What is kept of a call that Retell reports on; whatever isn't named here is never even read.
use super::super::lenient::{Figure, Object, Scalar};
use super::kept::{self, Bounded};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// Retell's account of a call. No transcript, recording, phone number, variable, SIP header or metadata;
/// texts are masked (S4). Names such as `user_hangup` are Retell's: an open list.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Report {
    /// E.g. `ended`.
    pub call_status: Option<String>,
    /// Why it ended, e.g. `user_hangup`.
    pub disconnection_reason: Option<String>,
    /// When it began, in unix milliseconds.
    pub start_timestamp: Option<u64>,
    /// When it ended, in unix milliseconds.
    pub end_timestamp: Option<u64>,
    /// How long it lasted.
    pub duration_ms: Option<u64>,
    /// Retell's name of the agent that took it.
    pub agent_id: Option<String>,
    /// How much Retell itself keeps, e.g. `everything_except_pii`.
    pub data_storage_setting: Option<String>,
    /// How long Retell's parts took.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub latency: Latency,
    /// What Retell's model made of the call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub call_analysis: Option<Analysis>,
}

/// Milliseconds by part (`e2e`, `llm`, …) and figure (`p50`, `max`, …).
pub type Latency = BTreeMap<&'static str, BTreeMap<&'static str, f64>>;

/// Retell's analysis of a call.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Analysis {
    /// The call in a few sentences.
    pub summary: Option<String>,
    /// E.g. `Positive`.
    pub sentiment: Option<String>,
    /// Whether the caller got what they wanted.
    pub successful: Option<bool>,
    /// Whether a machine answered.
    pub in_voicemail: Option<bool>,
    /// What the agent's owner asks of each call, by names of their own.
    pub custom_analysis_data: Option<Value>,
    /// Whether something was too long, too deep or too many and was left out.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub cut: bool,
}

/// The object of a call: the fields that are read.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Call {
    pub(super) call_id: Scalar,
    agent_id: Scalar,
    call_status: Scalar,
    disconnection_reason: Scalar,
    data_storage_setting: Scalar,
    start_timestamp: Figure,
    end_timestamp: Figure,
    duration_ms: Figure,
    latency: Object<Parts>,
    call_analysis: Object<Analysed>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Parts {
    e2e: Object<Figures>,
    asr: Object<Figures>,
    llm: Object<Figures>,
    llm_websocket_network_rtt: Object<Figures>,
    tts: Object<Figures>,
    knowledge_base: Object<Figures>,
    s2s: Object<Figures>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Figures {
    p50: Figure,
    p90: Figure,
    p95: Figure,
    p99: Figure,
    min: Figure,
    max: Figure,
    num: Figure,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Analysed {
    call_summary: Scalar,
    user_sentiment: Scalar,
    call_successful: Scalar,
    in_voicemail: Scalar,
    custom_analysis_data: Option<Value>,
}

impl From<Call> for Report {
    fn from(call: Call) -> Self {
        let (Object(latency), Object(analysed)) = (call.latency, call.call_analysis);
        let analysis = Analysis::from(analysed);
        Self {
            call_status: call.call_status.0.and_then(kept::name),
            disconnection_reason: call.disconnection_reason.0.and_then(kept::name),
            start_timestamp: call.start_timestamp.whole(),
            end_timestamp: call.end_timestamp.whole(),
            duration_ms: call.duration_ms.whole(),
            agent_id: call.agent_id.0.and_then(kept::name),
            data_storage_setting: call.data_storage_setting.0.and_then(kept::name),
            latency: latency.into(),
            call_analysis: Some(analysis).filter(|analysis| *analysis != Analysis::default()),
        }
    }
}

impl From<Analysed> for Analysis {
    fn from(analysed: Analysed) -> Self {
        let flag = |Scalar(text): Scalar| text.and_then(|text| text.parse().ok());
        let mut bounds = Bounded::default();
        let summary = analysed.call_summary.0.map(|text| bounds.text(&text));
        let custom_analysis_data = analysed.custom_analysis_data.map(|value| bounds.value(&value));
        Self {
            summary,
            sentiment: analysed.user_sentiment.0.and_then(kept::name),
            successful: flag(analysed.call_successful),
            in_voicemail: flag(analysed.in_voicemail),
            custom_analysis_data: custom_analysis_data.filter(|value| !value.is_null()),
            cut: bounds.cut(),
        }
    }
}

impl From<Parts> for Latency {
    fn from(parts: Parts) -> Self {
        let parts = [
            ("e2e", parts.e2e),
            ("asr", parts.asr),
            ("llm", parts.llm),
            ("llmWebsocketNetworkRtt", parts.llm_websocket_network_rtt),
            ("tts", parts.tts),
            ("knowledgeBase", parts.knowledge_base),
            ("s2s", parts.s2s),
        ];
        let figures = parts.into_iter().map(|(name, Object(figures))| (name, figures.into_map()));
        figures.filter(|(_, figures)| !figures.is_empty()).collect()
    }
}

impl Figures {
    fn into_map(self) -> BTreeMap<&'static str, f64> {
        let figures = [
            ("p50", self.p50),
            ("p90", self.p90),
            ("p95", self.p95),
            ("p99", self.p99),
            ("min", self.min),
            ("max", self.max),
            ("num", self.num),
        ];
        figures.into_iter().filter_map(|(name, Figure(number))| Some((name, number?.as_f64()?))).collect()
    }
}
