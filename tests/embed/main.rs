//! The local embedding model against independent implementations, damaged files and busy callers.
// Tests read files and the environment, which the domain may not, and fail by panicking, helpers included.
#![allow(clippy::disallowed_methods, clippy::expect_used, clippy::panic)]

mod damage;
mod pool;
mod reference;

use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};

use aura_actors::embed::e5::E5;

/// Where the weights are: never in the repository, put there by set-up.
fn weights() -> PathBuf {
    let home = std::env::var_os("AURA_HOME")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join(".aura"), PathBuf::from);
    let path = std::env::var_os("AURA_E5_WEIGHTS")
        .map_or_else(|| home.join("e5").join("e5-small-q4.bin"), PathBuf::from);
    assert!(path.is_file(), "{} isn't there: run `deploy/test`, which fetches it", path.display());
    path
}

/// The model, opened once for all tests.
fn model() -> Arc<E5> {
    static MODEL: LazyLock<Arc<E5>> =
        LazyLock::new(|| Arc::new(E5::open(&weights()).expect("whole weights")));
    Arc::clone(&MODEL)
}
