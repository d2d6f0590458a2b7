//! The handshake with the stand-in for Deepgram: key and query, checked as the document says.
use super::Shared;
use super::query::{self, Options};
use super::record::Ended;
use tokio_tungstenite::tungstenite::handshake::server::{ErrorResponse, Request, Response};
use tokio_tungstenite::tungstenite::http::HeaderValue;

/// The id of a connection, as it is told in `dg-request-id`.
pub fn request_id(number: usize) -> String {
    format!("00000000-0000-4000-8000-{number:012}")
}

/// Checks the handshake as the document says, and notes what was asked.
#[allow(clippy::result_large_err)]
pub fn greet(
    request: &Request,
    mut response: Response,
    number: usize,
    shared: &Shared,
    asked: &mut Option<Options>,
) -> Result<Response, ErrorResponse> {
    let header = |name| request.headers().get(name).and_then(|value: &HeaderValue| value.to_str().ok());
    let authorization = header("authorization").unwrap_or_default().to_owned();
    let pairs = query::pairs(request.uri().query().unwrap_or_default());
    let right = ["Token", "Bearer"].map(|scheme| format!("{scheme} {}", shared.key)).contains(&authorization);
    let checked = match ((shared.script)(number).refuse, &pairs) {
        (Some(refusal), _) => Err((refusal.status, refusal.error)),
        _ if request.uri().path() != "/v1/listen" => Err((404, "no such path".into())),
        _ if !right => Err((401, "the key is wrong: Authorization is 'Token KEY'".into())),
        (None, Err(error)) => Err((400, error.clone())),
        (None, Ok(pairs)) => query::check(pairs).map_err(|error| (400, error)),
    };
    let status = checked.as_ref().err().map(|refusal| refusal.0);
    shared.change(number, |it| {
        (it.authorization, it.query) = (authorization, pairs.unwrap_or_default());
        it.ended = status.map(Ended::Refused);
    });
    let id = HeaderValue::from_str(&request_id(number)).unwrap();
    match checked {
        Ok(options) => {
            *asked = Some(options);
            response.headers_mut().insert("dg-request-id", id);
            Ok(response)
        }
        Err((status, error)) => {
            let mut refusal = ErrorResponse::new(Some(error.clone()));
            *refusal.status_mut() = status.try_into().unwrap();
            refusal.headers_mut().insert("dg-request-id", id);
            let error = error.replace(|c: char| !c.is_ascii_graphic() && c != ' ', "?");
            refusal.headers_mut().insert("dg-error", HeaderValue::from_str(&error).unwrap());
            Err(refusal)
        }
    }
}
