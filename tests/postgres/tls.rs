//! TLS to the database: a real handshake in front of the real Postgres.
use crate::database::Database;
use aura_actors::store::{Store, StoreConfig};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use tokio::io::{AsyncReadExt, AsyncWriteExt, copy_bidirectional};
use tokio::net::{TcpListener, TcpStream, UnixStream};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::aws_lc_rs;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};

fn data(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/data/tls").join(name)
}

fn acceptor() -> TlsAcceptor {
    let chain = vec![CertificateDer::from_pem_file(data("server.pem")).unwrap()];
    let key = PrivateKeyDer::from_pem_file(data("server.key")).unwrap();
    let config = ServerConfig::builder_with_provider(Arc::new(aws_lc_rs::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(chain, key)
        .unwrap();
    TlsAcceptor::from(Arc::new(config))
}

/// A door with the certificate of `localhost` before the test server; counts the handshakes that succeeded.
struct Door {
    port: u16,
    shaken: Arc<AtomicUsize>,
}

impl Door {
    async fn open(database: &Database) -> Self {
        let sql = "SELECT split_part(current_setting('unix_socket_directories'), ',', 1)
                          || '/.s.PGSQL.' || current_setting('port')";
        let socket: String = database.client().await.query_one(sql, &[]).await.unwrap().get(0);
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let door = Self { port: listener.local_addr().unwrap().port(), shaken: Arc::default() };
        let (acceptor, shaken) = (acceptor(), door.shaken.clone());
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(pass(stream, socket.clone(), acceptor.clone(), shaken.clone()));
            }
        });
        door
    }

    async fn enter(&self, database: &Database, host: &str, query: &str) -> Result<Store, String> {
        let url = format!("postgres://aura@{host}:{}/{}?{query}", self.port, database.name());
        Store::connect(StoreConfig::parse(&url).unwrap()).await.map_err(|error| error.to_string())
    }

    fn shaken(&self) -> usize {
        self.shaken.load(Ordering::SeqCst)
    }
}

/// Postgres' own way into TLS: eight bytes ask, one letter agrees.
async fn pass(mut stream: TcpStream, socket: String, acceptor: TlsAcceptor, shaken: Arc<AtomicUsize>) {
    let mut asked = [0; 8];
    stream.read_exact(&mut asked).await.unwrap();
    let mut inner = UnixStream::connect(socket).await.unwrap();
    if asked[4..] != 80_877_103_u32.to_be_bytes() {
        // Not asked for TLS: handed on as it is.
        inner.write_all(&asked).await.unwrap();
        drop(copy_bidirectional(&mut stream, &mut inner).await);
        return;
    }
    stream.write_all(b"S").await.unwrap();
    if let Ok(mut stream) = acceptor.accept(stream).await {
        shaken.fetch_add(1, Ordering::SeqCst);
        drop(copy_bidirectional(&mut stream, &mut inner).await);
    }
}

#[tokio::test]
async fn a_certificate_is_believed_only_for_its_name_and_from_its_authority() {
    let database = Database::empty().await;
    let door = Door::open(&database).await;
    let trusted = format!("sslrootcert={}", data("ca.pem").display());

    let store = door.enter(&database, "localhost", &format!("sslmode=verify-full&{trusted}")).await.unwrap();
    store.ping().await.unwrap();
    store.migrate().await.expect("connections outside the pool speak TLS too");
    let shaken = door.shaken();
    assert!(shaken >= 2, "pool and migration: {shaken} handshakes");

    let error = door.enter(&database, "127.0.0.1", &format!("sslmode=require&{trusted}")).await.err();
    assert!(error.expect("another name").contains("not valid for name"), "the certificate is localhost's");
    let error = door.enter(&database, "localhost", "sslmode=require").await.err();
    assert!(error.expect("an authority that the system doesn't know").contains("certificate"));
    assert_eq!(door.shaken(), shaken, "neither got through");
}

#[tokio::test]
async fn without_sslmode_this_machine_is_spoken_to_plainly() {
    let database = Database::empty().await;
    let door = Door::open(&database).await;
    door.enter(&database, "localhost", "").await.expect("plain").ping().await.unwrap();
    assert_eq!(door.shaken(), 0);
}
