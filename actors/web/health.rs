//! `/healthz` (the process lives), `/readyz` (it can answer a call) and `/metrics` (Prometheus; open where only
//! this machine can ask).
use super::guard::Gate;
use crate::breaker::Breakers;
use crate::calls::Calls;
use crate::problem::Problem;
use crate::store::Store;
use actix_web::{HttpRequest, HttpResponse, web};
use aura::account::Permission;
use metrics_exporter_prometheus::PrometheusHandle;
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// How long the database may take to answer a ping.
const PING: Duration = Duration::from_secs(1);

/// What readiness is judged by.
pub struct Health {
    /// Set once everything has started, cleared when draining begins.
    pub ready: AtomicBool,
    /// The database.
    pub store: Arc<Store>,
    /// Renders the metrics.
    pub metrics: PrometheusHandle,
    /// What calls ask.
    pub breakers: Breakers,
}

/// Adds the routes.
pub fn routes(config: &mut web::ServiceConfig) {
    config
        .route("/healthz", web::get().to(healthz))
        .route("/readyz", web::get().to(readyz))
        .route("/metrics", web::get().to(render));
}

async fn healthz() -> HttpResponse {
    HttpResponse::Ok().json(json!({ "status": "alive", "version": env!("CARGO_PKG_VERSION") }))
}

async fn readyz(health: web::Data<Health>, calls: web::Data<Calls>) -> HttpResponse {
    let live = calls.live();
    if !health.ready.load(Ordering::Relaxed) {
        let body = json!({ "status": "not ready", "calls": live });
        return HttpResponse::ServiceUnavailable().json(body);
    }
    let degraded = degraded(&health).await;
    if degraded.is_empty() {
        return HttpResponse::Ok().json(json!({ "status": "ready", "calls": live }));
    }
    // Calls go on without manuals, or with the channel's sentence: degraded, yet answering.
    HttpResponse::Ok().json(json!({ "status": "degraded", "calls": live, "degraded": degraded }))
}

/// What doesn't work: breakers that aren't closed, and the database if it doesn't answer just now.
async fn degraded(health: &Health) -> Vec<Value> {
    let ping = tokio::time::timeout(PING, health.store.ping()).await;
    let ping = match ping {
        Ok(Ok(())) => None,
        Ok(Err(error)) => Some(error.to_string()),
        Err(_) => Some(format!("no answer to a ping within {} ms", PING.as_millis())),
    };
    let breakers = health.breakers.all().into_iter().filter_map(|breaker| {
        let (state, since) = breaker.state();
        let since = since?.to_string();
        Some(json!({ "dependency": breaker.name(), "breaker": state.as_str(), "since": since }))
    });
    let ping = ping.map(|error| json!({ "dependency": "database", "ping": error }));
    breakers.chain(ping).collect()
}

async fn render(
    request: HttpRequest,
    health: web::Data<Health>,
    gate: web::Data<Gate>,
) -> Result<HttpResponse, Problem> {
    if !gate.loopback {
        gate.identify(&request).await?.require(Permission::Metrics)?;
    }
    health.breakers.publish();
    let rendered = HttpResponse::Ok().content_type("text/plain; version=0.0.4").body(health.metrics.render());
    Ok(rendered)
}
