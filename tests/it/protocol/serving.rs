//! A player on a port of its own, served for the duration of a test.

use super::players::{Manner, Scripted};
use ggp_game::{Player, StopToken};
use ggp_server::player::{PlayerConfig, PlayerFactory, serve_player};
use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

/// Timeout of an exchange; a test that reaches it has failed.
const PATIENCE: Duration = Duration::from_secs(15);

/// A served player. Dropping it ends the server.
pub(crate) struct Serving {
    pub(crate) address: SocketAddr,
    stop: StopToken,
    thread: Option<JoinHandle<std::io::Result<()>>>,
}

impl Serving {
    pub(crate) fn start(config: PlayerConfig, factory: Arc<dyn PlayerFactory>) -> Serving {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("its address");
        let stop = StopToken::new();
        let token = stop.clone();
        let thread = std::thread::spawn(move || serve_player(&listener, config, factory, &token));
        let serving = Serving { address, stop, thread: Some(thread) };
        // The first answer shows that the server is ready and its connection queue is set up.
        serving.say("( INFO )");
        serving
    }

    pub(crate) fn scripted(config: PlayerConfig, manner: Manner) -> Serving {
        Serving::start(config, Arc::new(move |_: &str| Box::new(Scripted::new(manner)) as Box<dyn Player>))
    }

    /// Sends bytes unchanged and reads until the other side closes.
    pub(crate) fn exchange(&self, bytes: &[u8], half_close: bool) -> std::io::Result<Vec<u8>> {
        exchange(self.address, bytes, half_close)
    }

    /// Sends a message as the reference server does, and returns the text of the reply.
    pub(crate) fn say(&self, text: &str) -> String {
        let bytes =
            format!("POST / HTTP/1.0\r\nSender: GAMESERVER\r\nContent-Length: {}\r\n\r\n{text}", text.len());
        let reply = self.exchange(bytes.as_bytes(), false).expect("a reply");
        let reply = String::from_utf8(reply).expect("text");
        match reply.split_once("\r\n\r\n") {
            Some((_, text)) => text.to_owned(),
            None => panic!("{reply:?}"),
        }
    }

    /// Ends the server and returns its result.
    pub(crate) fn end(&mut self) -> std::io::Result<()> {
        self.stop.stop();
        self.thread.take().map_or(Ok(()), |thread| thread.join().expect("no panic"))
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.end();
    }
}

pub(crate) fn exchange(address: SocketAddr, bytes: &[u8], half_close: bool) -> std::io::Result<Vec<u8>> {
    let mut stream = TcpStream::connect(address)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.write_all(bytes)?;
    if half_close {
        stream.shutdown(Shutdown::Write)?;
    }
    let mut reply = Vec::new();
    stream.read_to_end(&mut reply)?;
    Ok(reply)
}
