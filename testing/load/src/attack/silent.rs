//! Peers that are connected and read nothing.

use super::scene::Scene;
use crate::{Error, Result};
use duet_local_network::Peer;
use std::{
    sync::{atomic::Ordering, mpsc},
    thread::{self, JoinHandle},
};
use tokio::{runtime::Builder, sync::oneshot};

/// How many there are.
const SILENT: usize = 8;

/// A peer whose only thread sleeps, so that nothing is read of its connection. It ends when this is dropped.
#[derive(Debug)]
pub(super) struct Silent {
    wake: Option<mpsc::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Drop for Silent {
    fn drop(&mut self) {
        drop(self.wake.take());
        if let Some(thread) = self.thread.take() {
            // A panic of it was printed.
            let _ = thread.join();
        }
    }
}

/// Has them join.
///
/// # Errors
/// When the node does not let one in.
pub(super) async fn join(scene: &Scene) -> Result<Vec<Silent>> {
    let mut silent = Vec::new();
    for _ in 0..SILENT {
        silent.push(join_one(scene.clone()).await?);
    }
    Ok(silent)
}

async fn join_one(scene: Scene) -> Result<Silent> {
    let (wake, sleep) = mpsc::channel::<()>();
    let (tell, told) = oneshot::channel();
    let live = move || {
        let runtime = Builder::new_current_thread().enable_all().build();
        let joined = runtime
            .map_err(Error::io("starting a runtime for a peer"))
            .and_then(|runtime| {
                let join = Peer::join_hearing(&scene.address, scene.genesis, |_| ());
                let peer = runtime.block_on(join)?;
                scene.tally.identities.fetch_add(1, Ordering::Relaxed);
                Ok((runtime, peer))
            });
        let (joined, kept) = match joined {
            Ok(kept) => (Ok(()), Some(kept)),
            Err(error) => (Err(error), None),
        };
        // Nobody waits any more when the program ends.
        let _ = tell.send(joined);
        // Until it is dropped.
        let _ = sleep.recv();
        drop(kept);
    };
    let thread = thread::Builder::new().name("silent".into()).spawn(live);
    let silent = Silent {
        wake: Some(wake),
        thread: Some(thread.map_err(Error::io("starting a thread for a peer"))?),
    };
    told.await.map_err(|_| Error::Gone)??;
    Ok(silent)
}
