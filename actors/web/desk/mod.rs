//! The operators' door: a websocket that speaks [`aura::protocol::desk`]. Transport: what is asked is done in
//! [`acts`], what is told comes from the desk.
pub mod acts;
mod callbacks;
mod marks;
mod patient;
mod socket;

use super::guard::Gate;
use crate::desk::Plug;
use crate::problem::Problem;
use actix_web::http::StatusCode;
use actix_web::web::{self, Data, Payload};
use actix_web::{HttpRequest, HttpResponse};
use actix_web_actors::ws;
use acts::Acts;
use aura::account::Permission;
use aura::protocol::desk::{LONGEST_REQUEST, SUBPROTOCOL};
use socket::Socket;

/// Adds the route.
pub fn routes(config: &mut web::ServiceConfig) {
    config.route("/desk", web::get().to(open));
}

/// Lets an operator in, by ticket or bearer token; a browser's cookie alone opens nothing.
async fn open(
    request: HttpRequest,
    payload: Payload,
    tools: Data<acts::Tools>,
) -> Result<HttpResponse, Problem> {
    let who = Gate::of(&request)?.upgrade(&request).await?;
    who.require(Permission::SeeCalls)?;
    let plug = request.conn_data::<Plug>().cloned();
    let socket = Socket::new(Acts::new(who, tools.get_ref().clone(), plug));
    let answer = ws::WsResponseBuilder::new(socket, &request, payload)
        .protocols(&[SUBPROTOCOL])
        .frame_size(2 * LONGEST_REQUEST)
        .start();
    answer.map_err(|error| Problem::new(StatusCode::BAD_REQUEST, format!("not a websocket upgrade: {error}")))
}
