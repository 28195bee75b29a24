//! The server: the listener, the routes, and the periodic clean-up.

use crate::app::App;
use crate::catalogue::{Folder, Offer};
use crate::config::Config;
use crate::listen::Bounded;
use crate::records::Records;
use crate::studio::{Shelf, Studio};
use crate::{routes, watch};
use ggp_game::{Simulate, StopToken};
use std::io;
use std::net::TcpListener;
use std::path::PathBuf;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

/// The maximum number of connections at the same time. A browser opens up to six connections, and each open
/// page holds one of them for events.
const CONNECTIONS: usize = 500;

/// A connection to which the server has written nothing for this long is closed when it waits for the client. Longer than
/// any response takes; event streams write more often.
const PATIENCE: Duration = Duration::from_secs(150);

/// The interval at which the server checks whether it should stop, and closes sessions that have been idle
/// for too long.
const LOOK: Duration = Duration::from_millis(100);

/// The content of a server: the games that it offers, and a match to watch.
pub struct Site {
    /// The offered games.
    pub offers: Vec<Offer>,
    /// The folder from which `offers` were read, whose changes they follow. `None` if they stay as they are.
    pub games: Option<Folder>,
    /// The path of the record of a match to watch, or of a folder of records. `None` if no match is watched.
    pub watch: Option<PathBuf>,
    /// The folder in which authors save their games. `None` if nothing is saved.
    pub folder: Option<PathBuf>,
    /// What finds the mistakes of a game that only playouts show.
    pub simulate: Simulate,
}

/// Serves `site` on `listener` until `stop` is raised.
///
/// # Errors
/// When the listener fails or a thread cannot be started.
pub fn serve(listener: TcpListener, config: Config, site: Site, stop: &StopToken) -> io::Result<()> {
    let Site { offers, games, watch, folder, simulate } = site;
    let shelf = folder.as_deref().map(Shelf::new).transpose()?;
    let records = watch.as_deref().map(Records::new);
    let app = Arc::new(App::new(config, offers, games, Studio::new(simulate, shelf), records)?);
    if let Some(path) = watch {
        let app = Arc::clone(&app);
        thread::Builder::new().name("record".to_owned()).spawn(move || watch::follow(&app, &path))?;
    }
    listener.set_nonblocking(true)?;
    // One thread serves all requests, and slow work runs on blocking threads, so that the searches can use
    // nearly all cores.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let served = runtime.block_on(async {
        let listener = Bounded::new(tokio::net::TcpListener::from_std(listener)?, CONNECTIONS, PATIENCE);
        let serving = axum::serve(listener, routes::router(&app)).into_future();
        let housekeeping = async {
            while !stop.is_stopped() {
                tokio::time::sleep(LOOK).await;
                app.expire();
            }
        };
        let mut serving = std::pin::pin!(serving);
        let mut housekeeping = std::pin::pin!(housekeeping);
        std::future::poll_fn(|context| {
            if let std::task::Poll::Ready(result) = serving.as_mut().poll(context) {
                return std::task::Poll::Ready(result);
            }
            housekeeping.as_mut().poll(context).map(Ok)
        })
        .await
    });
    runtime.shutdown_background();
    served
}
