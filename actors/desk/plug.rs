//! Shuts a connection down from outside: whoever stops reading never lets its own handler end it.
use actix_web::dev::Extensions;
use actix_web::rt::net::TcpStream;
use std::any::Any;
use std::net::Shutdown;
use std::os::fd::AsFd;
use std::sync::Arc;

/// A second handle to a connection's socket.
#[derive(Clone, Debug)]
pub struct Plug(Arc<std::net::TcpStream>);

impl Plug {
    /// For `HttpServer::on_connect`: keeps one beside each connection.
    pub fn keep(connection: &dyn Any, beside: &mut Extensions) {
        let stream = connection.downcast_ref::<TcpStream>();
        let second = stream.and_then(|stream| stream.as_fd().try_clone_to_owned().ok());
        if let Some(second) = second {
            beside.insert(Self(Arc::new(second.into())));
        }
    }

    /// Neither side reads or writes any more.
    pub fn pull(&self) {
        // An error says that the connection is gone already.
        drop(self.0.shutdown(Shutdown::Both));
    }
}
