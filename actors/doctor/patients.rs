//! The patients' system: asked once, for a document that nobody holds.
use super::Check;
use crate::config::Config;
use crate::patients::{self, Provider};
use aura::equipment::Catalogue;
use aura::ids::Dni;
use aura::patient::{Answer, Cause};
use tokio::time::Instant;

/// Between the numbers given to citizens and those given to foreigners; none was ever given out.
const NOBODY: &str = "89999999";

/// Which system it is, whether it answers, and whether it accepts the secret.
pub(super) async fn check(config: &Config) -> Check {
    const NAME: &str = "patients";
    let provider = config.patients.provider;
    let source = provider.as_str();
    let lookup = match patients::open(&config.patients, Catalogue::builtin()) {
        Ok(lookup) => lookup,
        Err(error) => {
            let advice = "mend the variable that is named; the server doesn't start like this";
            return Check::failure(NAME, error.to_string(), advice);
        }
    };
    match provider {
        Provider::Disabled => {
            return Check::ok(NAME, format!("{source}: by choice; no call knows the patient's equipment"));
        }
        Provider::Mock if config.listen.ip().is_loopback() => {
            return Check::ok(NAME, format!("{source}: the patients are made up"));
        }
        Provider::Mock => {
            let found = format!("{source}: the patients are made up, and other machines can call");
            return Check::warning(NAME, found, "for real calls set OXITESA_URL and OXITESA_SECRET");
        }
        Provider::Oxitesa => {}
    }
    let Ok(nobody) = Dni::parse(NOBODY) else { return Check::failure(NAME, "no document to ask for", "") };
    let begun = Instant::now();
    let cause = match lookup.by_dni(nobody).await {
        Answer::Found(..) | Answer::NotFound => {
            let ms = begun.elapsed().as_millis();
            return well(NAME, format!("{source} answers in {ms} ms and accepts the secret"), config);
        }
        Answer::Unavailable(cause) => cause,
    };
    let found = format!("{source}: {}", cause.as_str());
    let advice = format!("{}; until then calls go on with what the cache knows", advice(cause));
    Check::failure(NAME, found, advice)
}

/// The secret and documents may go unencrypted inside one machine, not over a network.
fn well(name: &'static str, found: String, config: &Config) -> Check {
    let url = config.patients.oxitesa_url.trim().to_ascii_lowercase();
    let near = ["http://127.", "http://localhost", "http://[::1]"].iter().any(|near| url.starts_with(near));
    match url.starts_with("https://") || near {
        true => Check::ok(name, found),
        false => {
            Check::warning(name, format!("{found}, unencrypted"), "set OXITESA_URL to its https address")
        }
    }
}

fn advice(cause: Cause) -> &'static str {
    match cause {
        Cause::Unauthorised => "it refuses the secret: set OXITESA_SECRET to the one that it expects",
        Cause::Malformed => {
            "its answer doesn't follow the contract: check that OXITESA_URL is the base below which \
             /v1/aura/patient-lookup is, and that nothing between redirects or answers for it"
        }
        Cause::Timeout => "it takes too long: check the network and its load",
        Cause::Throttled => "it wants fewer requests: ask for a higher limit",
        Cause::Failing => "it fails by itself: ask its operators",
        Cause::Unreachable | Cause::Disabled | Cause::LeftAlone => {
            "no connection: check OXITESA_URL, the network and the certificates"
        }
    }
}
