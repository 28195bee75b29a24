//! The port on which a server of this program listens.

use anyhow::anyhow;
use std::io::ErrorKind;
use std::net::{IpAddr, SocketAddr, TcpListener};

/// Listens on `port` of `ip`.
///
/// # Errors
/// When the system refuses it; the message says what helps.
pub(crate) fn listen(ip: IpAddr, port: u16) -> anyhow::Result<TcpListener> {
    let wanted = SocketAddr::new(ip, port);
    TcpListener::bind(wanted).map_err(|error| {
        let help = match error.kind() {
            ErrorKind::AddrInUse => "; --port takes another port, and 0 any free one",
            ErrorKind::PermissionDenied => "; --port takes another port, such as one from 1024 on",
            ErrorKind::AddrNotAvailable => {
                "; --bind takes an address of this machine, and 0.0.0.0 all of them"
            }
            _ => "",
        };
        anyhow!("cannot listen on {wanted}: {error}{help}")
    })
}
