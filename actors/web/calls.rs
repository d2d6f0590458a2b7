//! A live call's caller, for whoever may see or name them: each look and each word is on record before it counts.
use super::session::json_body;
use crate::accounts::Who;
use crate::audit::{self, NotOnRecord};
use crate::calls::Calls;
use crate::desk::{Listed, Panel, Show};
use crate::journal::{Accept, Sync};
use crate::problem::Problem;
use crate::vault::Vault;
use actix::prelude::Recipient;
use actix_web::http::StatusCode;
use actix_web::http::header::CACHE_CONTROL;
use actix_web::web::{self, Data, Path, Payload};
use actix_web::{HttpRequest, HttpResponse};
use aura::account::Permission;
use aura::audit::{Act, Action, Disclosure};
use aura::call::Input;
use aura::channel::Channel;
use aura::identity::Held;
use aura::ids::{CallId, Dni};
use aura::patient::Device;
use serde::Deserialize;
use serde_json::{Value, json};
use tracing::warn;

/// What operators' acts on calls are done with.
#[derive(Clone)]
pub struct Desks {
    /// Who knows the callers.
    pub desk: Recipient<Show>,
    /// Who knows the list of calls.
    pub listed: Recipient<Listed>,
    /// Where acts are put on record.
    pub journal: Recipient<Accept>,
    /// Makes sure that what was typed is on disk.
    pub sync: Recipient<Sync>,
    /// Names patients in the trail.
    pub vault: Vault,
}

/// Why an act wasn't done.
#[derive(Debug)]
pub enum NotDone {
    /// The call has ended.
    Gone,
    /// It can't be put on record, or on disk.
    Unkept(NotOnRecord),
}

impl From<NotOnRecord> for NotDone {
    fn from(error: NotOnRecord) -> Self {
        Self::Unkept(error)
    }
}

/// Adds the routes.
pub fn routes(config: &mut web::ServiceConfig) {
    config
        .route("/calls/{call_id}/patient", web::get().to(show))
        .route("/calls/{call_id}/patient/dni", web::put().to(typed))
        .route("/calls/{call_id}/patient/confirmation", web::post().to(vouch));
}

/// Who calls, what they have, with its source and how certain that is (R13–R15, S5).
async fn show(who: Who, call: Path<String>, desks: Data<Desks>) -> Result<HttpResponse, Problem> {
    who.require(Permission::SeeEquipment)?;
    let (id, panel) = desks.panel(&call).await?;
    let disclosure = desks.look(&who, &id, &panel).await.map_err(problem)?;
    Ok(answer(&view(&id, &panel, disclosure.as_ref())))
}

#[derive(Deserialize)]
struct Named {
    dni: String,
}

/// The document that a body names.
async fn named(request: &HttpRequest, body: Payload) -> Result<Dni, Problem> {
    let Named { dni } = json_body(request, body).await?;
    Dni::parse(&dni).map_err(|error| Problem::new(StatusCode::UNPROCESSABLE_ENTITY, error))
}

/// The operator types the document: it wins and stays (R9).
async fn typed(
    who: Who,
    request: HttpRequest,
    body: Payload,
    call: Path<String>,
    desks: Data<Desks>,
    calls: Data<Calls>,
) -> Result<HttpResponse, Problem> {
    who.require(Permission::Identify)?;
    let dni = named(&request, body).await?;
    let (id, _) = desks.panel(&call).await?;
    desks.type_in(&who, &calls, &id, dni).await.map_err(problem)?;
    Ok(HttpResponse::NoContent().finish())
}

/// The operator vouches for the document that they saw; where the call goes by another one by now, for nothing.
async fn vouch(
    who: Who,
    request: HttpRequest,
    body: Payload,
    call: Path<String>,
    desks: Data<Desks>,
    calls: Data<Calls>,
) -> Result<HttpResponse, Problem> {
    who.require(Permission::Identify)?;
    let dni = named(&request, body).await?;
    let (id, panel) = desks.panel(&call).await?;
    let held = panel.held.filter(|held| held.dni() == dni).ok_or_else(|| {
        let detail = "the call doesn't go by this document (any more): GET …/patient, or PUT …/patient/dni";
        Problem::new(StatusCode::CONFLICT, detail)
    })?;
    desks.vouch(&who, &calls, &id, &held).await.map_err(problem)?;
    Ok(HttpResponse::NoContent().finish())
}

impl Desks {
    async fn panel(&self, call: &str) -> Result<(CallId, Panel), Problem> {
        let id = CallId::parse(call).map_err(|error| Problem::new(StatusCode::BAD_REQUEST, error))?;
        let panel = self.panel_of(&id).await;
        Ok((id, panel.ok_or_else(|| Problem::new(StatusCode::NOT_FOUND, "no such call is live"))?))
    }

    /// What is known of a live call's caller.
    pub async fn panel_of(&self, call: &CallId) -> Option<Panel> {
        self.desk.send(Show(call.clone())).await.ok().flatten()
    }

    /// Through which channel a call came that is in the list.
    pub async fn source_of(&self, call: &CallId) -> Option<Channel> {
        Some(self.listed.send(Listed(call.clone())).await.ok().flatten()?.source)
    }

    /// Puts an act on record.
    pub async fn note(&self, act: Act) -> Result<(), NotDone> {
        Ok(audit::note(&self.journal, act).await?)
    }

    /// Puts a look at the patient on record; the key to their devices, where there is a patient.
    pub async fn look(&self, who: &Who, call: &CallId, panel: &Panel) -> Result<Option<Disclosure>, NotDone> {
        let Some(held) = panel.held else { return Ok(None) };
        let detail = json!({
            "source": held.source(), "state": held.state(), "lookUp": panel.progress, "provider": panel.source,
            "models": panel.models.len(), "detail": panel.devices.is_some(),
        });
        let act = self.act(who, Action::EquipmentShown, held.dni(), call, detail);
        Ok(audit::disclose(&self.journal, act).await?)
    }

    /// The operator types the document: it wins and stays (R9).
    pub async fn type_in(&self, who: &Who, calls: &Calls, call: &CallId, dni: Dni) -> Result<(), NotDone> {
        self.note(self.act(who, Action::IdentityTyped, dni, call, Value::Null)).await?;
        self.happen(calls, call, Input::Typed(dni)).await
    }

    /// The operator vouches for the document that they saw.
    pub async fn vouch(&self, who: &Who, calls: &Calls, call: &CallId, seen: &Held) -> Result<(), NotDone> {
        let detail = json!({ "source": seen.source() });
        self.note(self.act(who, Action::IdentityConfirmed, seen.dni(), call, detail)).await?;
        self.happen(calls, call, Input::Vouched(seen.dni())).await
    }

    /// Done, then on disk (DECISIONS 23).
    pub async fn happen(&self, calls: &Calls, call: &CallId, input: Input) -> Result<(), NotDone> {
        if !calls.happen(call, input).await {
            return Err(NotDone::Gone);
        }
        let synced = self.sync.send(Sync).await.map_err(|_| NotOnRecord::Stopped)?;
        Ok(synced.map_err(NotOnRecord::from)?)
    }

    fn act(&self, who: &Who, action: Action, dni: Dni, call: &CallId, detail: Value) -> Act {
        let patient = Some(self.vault.patient(dni));
        Act { by: who.by(), action, patient, call: Some(call.clone()), detail }
    }
}

fn problem(not: NotDone) -> Problem {
    let NotDone::Unkept(error) = not else {
        return Problem::new(StatusCode::NOT_FOUND, "the call has just ended");
    };
    warn!(%error, "an operator's request was refused");
    let detail = "it can't be put on record just now, so it isn't done; try again in a few seconds";
    Problem::new(StatusCode::SERVICE_UNAVAILABLE, detail).retry_after(5)
}

fn answer(body: &Value) -> HttpResponse {
    HttpResponse::Ok().insert_header((CACHE_CONTROL, "no-store")).json(body)
}

/// The panel, with the document and the devices only for whom the look is on record.
fn view(call: &CallId, panel: &Panel, disclosure: Option<&Disclosure>) -> Value {
    let identity = panel.held.filter(|_| disclosure.is_some()).map(|held: Held| {
        json!({
            "dni": held.dni().digits(), "source": held.source(), "state": held.state(),
            "confirmed": held.is_confirmed(),
        })
    });
    let shown = disclosure.zip(panel.devices.as_ref());
    let devices = shown
        .map(|(disclosure, devices)| devices.reveal(disclosure).iter().map(device).collect::<Vec<Value>>());
    let models = if disclosure.is_some() { json!(panel.models) } else { json!([]) };
    json!({
        "call": call,
        "identity": identity,
        "lookUp": {
            "progress": panel.progress, "outage": panel.outage, "source": panel.source,
            "cached": panel.cached,
        },
        "models": models,
        "devices": devices,
    })
}

fn device(device: &Device) -> Value {
    let Device { name, brand, sku, category } = device;
    json!({ "name": name, "brand": brand, "sku": sku, "category": category })
}
