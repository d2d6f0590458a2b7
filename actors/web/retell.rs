//! Retell's door: one websocket a call, text frames only. A transport: it decides nothing of the talk.
use super::peers::Peers;
use super::socket::{self, Ends, Newest, Urgent};
use crate::call::{Attach, Detach, Happened, Speech};
use crate::calls::{CallHandle, Calls, Near, SocketGuard};
use crate::problem::Problem;
use crate::secret::Secret;
use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, web};
use actix_ws::{AggregatedMessage, AggregatedMessageStream, CloseCode};
use aura::call::{Closing, Input};
use aura::channel::Channel;
use aura::ids::CallId;
use aura::protocol::retell::{self, FrameError, Inbound, MAX_FRAME, Outbound};
use futures_util::StreamExt;
use std::time::Duration;
use tracing::{info, warn};

/// Retell pings every 2 s; a socket that has pinged and then says nothing for so long is dead (§6).
const SILENCE: Duration = Duration::from_secs(6);
/// Until the first ping: an agent without `auto_reconnect` sends none.
const FIRST_SILENCE: Duration = Duration::from_secs(120);

/// When a refused peer may dial again, in seconds.
const RETRY_AFTER: u32 = 5;

/// Who may dial.
#[derive(Clone, Debug, Default)]
pub struct Door {
    /// Secrets of the path; empty where the server can't be reached from outside.
    pub secrets: Vec<Secret>,
    /// The addresses that may dial.
    pub peers: Peers,
}

/// Adds the routes. Retell appends the call id to the base that its dashboard holds.
pub fn routes(config: &mut web::ServiceConfig) {
    config
        .route("/llm-websocket/{call_id}", web::get().to(open))
        .route("/llm-websocket/{secret}/{call_id}", web::get().to(open_secret));
}

async fn open(
    request: HttpRequest,
    body: web::Payload,
    call: web::Path<String>,
    door: web::Data<Door>,
    calls: web::Data<Calls>,
    near: web::Data<Near>,
) -> Result<HttpResponse, Problem> {
    if !door.secrets.is_empty() {
        return Err(not_admitted());
    }
    accept(&request, body, &call, &door, &calls, &near)
}

async fn open_secret(
    request: HttpRequest,
    body: web::Payload,
    path: web::Path<(String, String)>,
    door: web::Data<Door>,
    calls: web::Data<Calls>,
    near: web::Data<Near>,
) -> Result<HttpResponse, Problem> {
    let (secret, call) = path.into_inner();
    // Every secret is compared, whichever matches: the time tells nothing.
    let matches = door.secrets.iter().filter(|known| known.matches(&secret)).count();
    if matches == 0 {
        return Err(not_admitted());
    }
    accept(&request, body, &call, &door, &calls, &near)
}

fn not_admitted() -> Problem {
    Problem::new(
        StatusCode::UNAUTHORIZED,
        "the path's secret is missing or wrong; dial /llm-websocket/<RETELL_SECRET>/<call id>",
    )
}

fn accept(
    request: &HttpRequest,
    body: web::Payload,
    call: &str,
    door: &Door,
    calls: &web::Data<Calls>,
    near: &Near,
) -> Result<HttpResponse, Problem> {
    door.peers.admit(request)?;
    let id = CallId::parse(call).map_err(|error| Problem::new(StatusCode::BAD_REQUEST, error))?;
    // The upgrade first: what is no websocket opens no call.
    let (response, session, stream) = actix_ws::handle(request, body).map_err(|error| {
        Problem::new(StatusCode::BAD_REQUEST, format!("not a websocket upgrade: {error}"))
    })?;
    let handle = calls
        .open(&id, Channel::Retell, near)
        .map_err(|refused| Problem::new(StatusCode::SERVICE_UNAVAILABLE, refused).retry_after(RETRY_AFTER))?;
    let frames = stream.max_frame_size(MAX_FRAME).aggregate_continuations().max_continuation_size(MAX_FRAME);
    let newest = Newest::default();
    let ends = socket::start_writer(session, newest.clone(), render);
    let (socket, guard) = calls.clone().into_inner().socket();
    let reader = Reader { handle, socket, _guard: guard, newest, urgent: ends.urgent.clone() };
    actix_rt::spawn(reader.run(id, frames, ends));
    Ok(response)
}

/// What the call says, as Retell's frames: a sentence each, then the closing one (§5.5).
fn render(speech: &Speech) -> Option<String> {
    let frame = match speech {
        Speech::Say { reply, text } => Outbound::Response {
            response_id: *reply,
            content: format!("{text} "),
            content_complete: false,
            then: Closing::Stay,
        },
        Speech::Close { reply, then } => Outbound::Response {
            response_id: *reply,
            content: String::new(),
            content_complete: true,
            then: then.clone(),
        },
        Speech::Superseded | Speech::Redial | Speech::Over => return None,
    };
    Some(frame.to_string())
}

struct Reader {
    handle: CallHandle,
    socket: u64,
    _guard: SocketGuard,
    newest: Newest,
    urgent: tokio::sync::mpsc::Sender<Urgent>,
}

impl Reader {
    async fn run(self, id: CallId, mut frames: AggregatedMessageStream, ends: Ends) {
        info!(call = %id, socket = self.socket, "retell connected");
        let config = Outbound::Config { auto_reconnect: true, call_details: true };
        self.send(Urgent::Frame(config.to_string()));
        // `ends.urgent` stays here: when this task ends, the writer does.
        let Ends { urgent: _urgent, speech } = ends;
        let attached = self.handle.attach.send(Attach { socket: self.socket, outbox: speech }).await;
        let clean = match attached {
            Ok(()) => self.read(&mut frames).await,
            Err(_) => false,
        };
        self.handle.detach.do_send(Detach { socket: self.socket, clean });
        info!(call = %id, socket = self.socket, clean, "retell gone");
    }

    /// Reads until the socket ends; true when the peer closed it with goodbye.
    async fn read(&self, frames: &mut AggregatedMessageStream) -> bool {
        let mut patience = FIRST_SILENCE;
        loop {
            let frame = match tokio::time::timeout(patience, frames.next()).await {
                Ok(Some(Ok(frame))) => frame,
                Ok(Some(Err(error))) => {
                    warn!(%error, "the websocket broke");
                    self.send(Urgent::Close(CloseCode::Protocol, "bad websocket frame"));
                    return false;
                }
                Ok(None) => return false,
                Err(_) => {
                    warn!("no frame for {} s: the peer is taken for gone", patience.as_secs());
                    self.send(Urgent::Close(CloseCode::Error, "silent"));
                    return false;
                }
            };
            match frame {
                AggregatedMessage::Text(text) => match retell::decode(&text) {
                    Ok(inbound) => {
                        if matches!(inbound, Inbound::PingPong { .. }) {
                            patience = SILENCE;
                        }
                        self.take(inbound).await;
                    }
                    // What was said before stands; a frame that can't be read is passed over by name.
                    Err(error) => self.corrupt(&error),
                },
                AggregatedMessage::Binary(_) => {
                    self.send(Urgent::Close(CloseCode::Invalid, "text frames only"));
                    return false;
                }
                AggregatedMessage::Ping(bytes) => self.send(Urgent::Pong(bytes.to_vec())),
                AggregatedMessage::Pong(_) => {}
                AggregatedMessage::Close(reason) => {
                    return reason.is_some_and(|reason| reason.code == CloseCode::Normal);
                }
            }
        }
    }

    fn corrupt(&self, error: &FrameError) {
        metrics::counter!("aura_frames_refused_total", "source" => "retell").increment(1);
        warn!(%error, "a frame was passed over");
    }

    /// One frame at a time, each handled before the next is read: 4 never overtakes 3 (§5.2).
    async fn take(&self, inbound: Inbound) {
        let input = match inbound {
            Inbound::PingPong { timestamp } => {
                return self.send(Urgent::Frame(Outbound::PingPong { timestamp }.to_string()));
            }
            Inbound::CallDetails(details) => {
                Input::Details { variables: details.variables, phone: details.phone }
            }
            Inbound::UpdateOnly { transcript, .. } => match transcript {
                Some(turns) => Input::Heard(turns),
                None => return,
            },
            Inbound::ResponseRequired { response_id: reply, transcript: turns, .. } => {
                self.newest.raise(reply.0);
                Input::Asked { reply, turns, reminder: false }
            }
            Inbound::ReminderRequired { response_id: reply, transcript: turns, .. } => {
                self.newest.raise(reply.0);
                Input::Asked { reply, turns, reminder: true }
            }
            Inbound::Unknown => return,
        };
        if self.handle.happened.send(Happened(input)).await.is_err() {
            warn!("the call is gone; the peer is asked to redial");
            self.send(Urgent::Close(CloseCode::Error, "redial"));
        }
    }

    fn send(&self, urgent: Urgent) {
        // A full queue means that nothing is being read at the other end: the writer's deadline ends it.
        drop(self.urgent.try_send(urgent));
    }
}
