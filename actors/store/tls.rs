//! TLS to the database: rustls, certificates always verified.
use super::{StoreConfig, StoreError};
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::{ClientConfig, RootCertStore};
use rustls_platform_verifier::BuilderVerifierExt;
use std::path::Path;
use std::sync::Arc;
use tokio_postgres::config::SslMode;
use tokio_postgres_rustls::MakeRustlsConnect;

/// What every connection is made with; where no TLS is spoken, nothing of it is used.
pub(super) fn connector(config: &StoreConfig) -> Result<MakeRustlsConnect, StoreError> {
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let builder = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| StoreError::Config(error.to_string()))?;
    let client = match &config.root_cert {
        // Not the system's certificates where none are needed: a bare machine may have none.
        _ if config.pg().get_ssl_mode() == SslMode::Disable => {
            builder.with_root_certificates(RootCertStore::empty())
        }
        Some(file) => builder.with_root_certificates(roots(file)?),
        None => builder.with_platform_verifier().map_err(|error| {
            StoreError::Config(format!(
                "TLS needs the system's certificates ({error}); install ca-certificates or name a file: sslrootcert=FILE"
            ))
        })?,
    };
    Ok(MakeRustlsConnect::new(client.with_no_client_auth()))
}

fn roots(file: &Path) -> Result<RootCertStore, StoreError> {
    let refuse = |why: String| {
        StoreError::Config(format!(
            "sslrootcert={}: {why}; expected a PEM file of certificates",
            file.display()
        ))
    };
    let mut store = RootCertStore::empty();
    for cert in CertificateDer::pem_file_iter(file).map_err(|error| refuse(error.to_string()))? {
        let cert = cert.map_err(|error| refuse(error.to_string()))?;
        store.add(cert).map_err(|error| refuse(error.to_string()))?;
    }
    if store.is_empty() {
        return Err(refuse("it holds no certificate".to_owned()));
    }
    Ok(store)
}
