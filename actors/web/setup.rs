//! The page behind a one-time link: the first administrator, or a password of one's own. Spanish, one form,
//! nothing from elsewhere.
use super::guard::Gate;
use super::session::body;
use crate::accounts::{AccountsError, Invitation};
use crate::problem::Problem;
use actix_web::http::StatusCode;
use actix_web::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS,
};
use actix_web::web::{self, Data, Payload, Query};
use actix_web::{HttpRequest, HttpResponse};
use aura::account::{AccountName, BadName, LONGEST_PASSWORD, SHORTEST_PASSWORD, WeakPassword};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;
use sha2::{Digest, Sha256};
use tracing::warn;

const STYLE: &str = "body{font:1rem/1.5 sans-serif;max-width:26rem;margin:3rem auto;padding:0 1rem}\
                     label{display:block;margin-top:1rem}input{width:100%;font:inherit;padding:.4rem;box-sizing:border-box}\
                     button{margin-top:1.5rem;font:inherit;padding:.5rem 1.5rem}.mal{color:#a00}";

/// Adds the routes.
pub fn routes(config: &mut web::ServiceConfig) {
    config.service(web::resource("/setup").route(web::get().to(show)).route(web::post().to(accept)));
}

#[derive(Deserialize)]
struct Link {
    #[serde(default)]
    token: String,
}

async fn show(link: Option<Query<Link>>, gate: Data<Gate>) -> HttpResponse {
    let token = link.map(|link| link.into_inner().token).unwrap_or_default();
    match gate.accounts.invitation(&token).await {
        Ok(invitation) => page(StatusCode::OK, &form(&token, &invitation, "", None)),
        Err(error) => refusal(&error),
    }
}

#[derive(Deserialize)]
struct Filled {
    token: String,
    #[serde(default)]
    name: String,
    password: String,
    again: String,
}

async fn accept(request: HttpRequest, payload: Payload, gate: Data<Gate>) -> Result<HttpResponse, Problem> {
    gate.origins.page(&request)?;
    let bytes = body(&request, payload, "application/x-www-form-urlencoded").await?;
    let filled = std::str::from_utf8(&bytes).ok().and_then(|text| Query::<Filled>::from_query(text).ok());
    let Some(Query(filled)) = filled else {
        return Ok(page(StatusCode::BAD_REQUEST, "<p class=mal>Falta un dato del formulario.</p>"));
    };
    let invitation = match gate.accounts.invitation(&filled.token).await {
        Ok(invitation) => invitation,
        Err(error) => return Ok(refusal(&error)),
    };
    let again = |why: &str| {
        // Only what is a name comes back: what isn't may be a password in the wrong field.
        let name = AccountName::parse(&filled.name).map(|name| name.to_string()).unwrap_or_default();
        let body = form(&filled.token, &invitation, &name, Some(why));
        Ok(page(StatusCode::UNPROCESSABLE_ENTITY, &body))
    };
    if filled.password != filled.again {
        return again("Las dos contraseñas no coinciden.");
    }
    match gate.accounts.accept(&filled.token, &filled.name, &filled.password).await {
        Ok(name) => {
            Ok(page(StatusCode::OK, &format!("<p>Listo: la cuenta <b>{name}</b> ya puede ingresar.</p>")))
        }
        Err(AccountsError::Weak(weak)) => again(&weak_in_spanish(weak)),
        Err(AccountsError::Name(bad)) => again(name_in_spanish(bad)),
        Err(error) => Ok(refusal(&error)),
    }
}

fn weak_in_spanish(weak: WeakPassword) -> String {
    match weak {
        WeakPassword::Short(_) => format!("La contraseña debe tener {SHORTEST_PASSWORD} caracteres o más."),
        WeakPassword::Long => format!("La contraseña puede tener {LONGEST_PASSWORD} caracteres como máximo."),
        WeakPassword::Name => "La contraseña no puede ser el nombre de la cuenta.".to_owned(),
    }
}

const fn name_in_spanish(bad: BadName) -> &'static str {
    match bad {
        BadName::Length(_) => "El nombre debe tener entre 2 y 40 caracteres.",
        BadName::Figures => "El nombre tiene demasiadas cifras: podría ser el documento de alguien.",
        BadName::Letters => {
            "El nombre lleva sólo minúsculas sin acentos, números, punto, guión y guión bajo."
        }
    }
}

fn refusal(error: &AccountsError) -> HttpResponse {
    if matches!(error, AccountsError::Link) {
        let text = "<p>Este enlace ya no sirve: se usó, venció o hay uno más nuevo.</p>\
                    <p>Pida otro a quien administra el servicio.</p>";
        return page(StatusCode::FORBIDDEN, text);
    }
    warn!(%error, "a one-time link can't be served");
    page(
        StatusCode::SERVICE_UNAVAILABLE,
        "<p>No se puede en este momento. Pruebe de nuevo en unos segundos.</p>",
    )
}

/// The form; `token` is one that was found valid, so it holds nothing that means something to HTML.
fn form(token: &str, invitation: &Invitation, name: &str, why: Option<&str>) -> String {
    let why = why.map(|why| format!("<p class=mal role=alert>{why}</p>")).unwrap_or_default();
    let (title, who) = match invitation {
        Invitation::SetUp => (
            "Primera cuenta de administración",
            format!(
                "<label>Nombre de la cuenta<input name=name value=\"{name}\" required minlength=2 maxlength=40 \
                 autocomplete=username></label>"
            ),
        ),
        Invitation::Password(name) => ("Elija su contraseña", format!("<p>Cuenta: <b>{name}</b></p>")),
    };
    let field = |name: &str, label: &str| {
        format!(
            "<label>{label}<input name={name} type=password required minlength={SHORTEST_PASSWORD} \
             maxlength={LONGEST_PASSWORD} autocomplete=new-password></label>"
        )
    };
    let (password, again) = (field("password", "Contraseña"), field("again", "La contraseña, otra vez"));
    format!(
        "<h1>{title}</h1>{why}<form method=post action=\"/setup\"><input type=hidden name=token value=\"{token}\">\
         {who}{password}{again}<button>Guardar</button></form>"
    )
}

fn page(status: StatusCode, body: &str) -> HttpResponse {
    let style = STANDARD.encode(Sha256::digest(STYLE));
    let policy = format!(
        "default-src 'none'; style-src 'sha256-{style}'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
    );
    HttpResponse::build(status)
        .insert_header((CONTENT_SECURITY_POLICY, policy))
        .insert_header((REFERRER_POLICY, "same-origin"))
        .insert_header((CACHE_CONTROL, "no-store"))
        .insert_header((X_CONTENT_TYPE_OPTIONS, "nosniff"))
        .content_type("text/html; charset=utf-8")
        .body(format!(
            "<!doctype html><html lang=es-AR><meta charset=utf-8>\
             <meta name=viewport content=\"width=device-width\"><title>Aura</title><style>{STYLE}</style>{body}</html>"
        ))
}
