//! From which page a browser sends a request: ours, or somebody else's.
use crate::problem::Problem;
use actix_web::HttpRequest;
use actix_web::http::StatusCode;
use actix_web::http::header::{HOST, ORIGIN};

/// Which pages are ours: those of the address that was asked, and these.
#[derive(Clone, Debug, Default)]
pub struct Origins {
    /// E.g. `https://aura.example.org`: where a proxy gives the service another name.
    pub allowed: Vec<String>,
}

/// What a request says of its page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Page {
    /// One of ours; its origin where the browser names it.
    Ours(Option<String>),
    /// Nothing: no browser of today, or one that follows a link.
    Unsaid,
}

impl Page {
    /// The origin, where it was named.
    pub fn origin(self) -> Option<String> {
        match self {
            Self::Ours(origin) => origin,
            Self::Unsaid => None,
        }
    }
}

impl Origins {
    /// What the request says of its page; 403 where that is somebody else's.
    pub fn page(&self, request: &HttpRequest) -> Result<Page, Problem> {
        let site = text(request, "sec-fetch-site");
        match text(request, ORIGIN.as_str()) {
            // What hides its origin may still come from here.
            Some("null") if site == Some("same-origin") => Ok(Page::Ours(None)),
            Some(origin) if self.is_ours(origin, host(request)) => {
                Ok(Page::Ours(Some(origin.to_ascii_lowercase())))
            }
            Some(_) => Err(foreign()),
            None => match site {
                Some("same-origin") => Ok(Page::Ours(None)),
                Some("none") | None => Ok(Page::Unsaid),
                Some(_) => Err(foreign()),
            },
        }
    }

    fn is_ours(&self, origin: &str, host: Option<&str>) -> bool {
        let origin = origin.to_ascii_lowercase();
        let own = |host: &str| {
            let authority = origin.strip_prefix("https://").map(|rest| (rest, ":443"));
            let authority = authority.or_else(|| origin.strip_prefix("http://").map(|rest| (rest, ":80")));
            let host = host.to_ascii_lowercase();
            authority.is_some_and(|(rest, port)| rest == host.strip_suffix(port).unwrap_or(&host))
        };
        self.allowed.contains(&origin) || host.is_some_and(own)
    }
}

/// The host that was asked, as this connection says it: what a proxy forwards about it isn't believed here.
fn host(request: &HttpRequest) -> Option<&str> {
    let authority = request.uri().authority().map(actix_web::http::uri::Authority::as_str);
    authority.or_else(|| text(request, HOST.as_str()))
}

fn text<'a>(request: &'a HttpRequest, header: &str) -> Option<&'a str> {
    // One that is no text is somebody else's.
    request.headers().get(header).map(|value| value.to_str().unwrap_or("?"))
}

fn foreign() -> Problem {
    let detail = "this request comes from another site's page; if that page is the console's, name its origin in AURA_ORIGINS";
    Problem::new(StatusCode::FORBIDDEN, detail)
}
