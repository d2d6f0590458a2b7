//! `/healthz` (the process lives), `/readyz` (it can answer a call) and `/metrics` (Prometheus).
use crate::calls::Calls;
use crate::store::Store;
use actix_web::{HttpResponse, web};
use metrics_exporter_prometheus::PrometheusHandle;
use serde_json::json;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// What readiness is judged by.
pub struct Health {
    /// Set once everything has started, cleared when draining begins.
    pub ready: AtomicBool,
    /// The database.
    pub store: Arc<Store>,
    /// Renders the metrics.
    pub metrics: PrometheusHandle,
}

/// Adds the routes.
pub fn routes(config: &mut web::ServiceConfig) {
    config
        .route("/healthz", web::get().to(healthz))
        .route("/readyz", web::get().to(readyz))
        .route("/metrics", web::get().to(render));
}

async fn healthz() -> HttpResponse {
    HttpResponse::Ok().json(json!({ "status": "alive" }))
}

async fn readyz(health: web::Data<Health>, calls: web::Data<Calls>) -> HttpResponse {
    let database = health.store.ping().await;
    let live = calls.live();
    match (health.ready.load(Ordering::Relaxed), database) {
        (true, Ok(())) => HttpResponse::Ok().json(json!({ "status": "ready", "calls": live })),
        // Calls go on without manuals while the database is away: degraded, yet answering.
        (true, Err(error)) => HttpResponse::Ok()
            .json(json!({ "status": "degraded", "calls": live, "database": error.to_string() })),
        (false, _) => {
            HttpResponse::ServiceUnavailable().json(json!({ "status": "not ready", "calls": live }))
        }
    }
}

async fn render(health: web::Data<Health>) -> HttpResponse {
    HttpResponse::Ok().content_type("text/plain; version=0.0.4").body(health.metrics.render())
}
