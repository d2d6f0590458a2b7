//! Who the patient is, for the operator who asked: each look is on record before it is shown.
use super::acts::{Acts, Outcome};
use aura::account::Permission;
use aura::ids::CallId;
use aura::patient::Device;
use aura::protocol::desk::{self, Message as Told, Patient, Refusal};

impl Acts {
    pub(super) async fn see_patient(&self, call: CallId) -> Outcome {
        self.may(Permission::SeeEquipment)?;
        let desks = &self.tools.desks;
        let panel = desks.panel_of(&call).await.ok_or(Refusal::Unknown)?;
        let disclosure = desks.look(&self.who, &call, &panel).await?;
        let held = panel.held.filter(|_| disclosure.is_some());
        let devices = disclosure.as_ref().zip(panel.devices.as_ref());
        let models = panel.models.iter().filter(|_| disclosure.is_some());
        self.said(Told::Patient(Box::new(Patient {
            call,
            dni: held.map(|held| held.dni().digits()),
            source: held.map(|held| held.source()),
            state: held.map(|held| held.state()),
            look_up: panel.progress,
            outage: panel.outage,
            provider: panel.source.map(str::to_owned),
            cached: panel.cached,
            models: models.map(ToString::to_string).collect(),
            devices: devices.map(|(key, devices)| devices.reveal(key).iter().map(device).collect()),
        })))
    }
}

fn device(device: &Device) -> desk::Device {
    let Device { name, brand, sku, category } = device.clone();
    desk::Device { name, brand, sku, category }
}
