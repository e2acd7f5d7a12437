//! Accepts connections, one thread each, until it is stopped.

use crate::{
    connection::{greet, in_time, serve, Ended, Times},
    listener::{Accepted, Incoming, Listener},
    service::{Policy, Service},
    slots::{Place, Slots},
};
use duet_keystore::Signer;
use duet_remote_signer::Address;
use std::{
    io,
    sync::Arc,
    thread::{self, JoinHandle, Scope},
    time::Duration,
};
use tokio::{
    runtime::{Builder, Runtime},
    sync::oneshot,
};

/// The pause after an error of `accept`, such as too many open files.
const PAUSE: Duration = Duration::from_millis(100);

/// The limits on connections and their times.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The most connections past the hello, and as many others.
    pub connections: usize,
    /// The time until a client's hello, TLS included.
    pub greeting: Duration,
    /// The time without a request.
    pub idle: Duration,
    /// The time for a client to take an answer.
    pub answer: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connections: 16,
            greeting: Duration::from_secs(5),
            idle: Duration::from_secs(60),
            answer: Duration::from_secs(5),
        }
    }
}

/// A running server. Stops when it is dropped.
pub struct Running {
    address: Address,
    /// Dropping it ends the accepting thread.
    runs: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

/// Serves `signer` to connecting clients.
///
/// # Errors
/// When the system provides no thread, or no file descriptor to wait with.
pub fn start(
    listener: Listener,
    signer: Arc<dyn Signer>,
    policy: Policy,
    limits: Limits,
) -> io::Result<Running> {
    let address = listener.address().clone();
    let (runs, stopped) = oneshot::channel();
    let runtime = Builder::new_current_thread().enable_io().build()?;
    let incoming = {
        // tokio takes the socket only within a runtime.
        let _entered = runtime.enter();
        listener.incoming()?
    };
    let service = Service::new(signer, policy);
    let thread = thread::Builder::new()
        .name("duet-accept".to_owned())
        .spawn(move || {
            accept_all(incoming, (&runtime, stopped), &service, limits);
            // Only now, so that nobody else listens there while connections end.
            drop(listener);
        })?;
    Ok(Running {
        address,
        runs: Some(runs),
        thread: Some(thread),
    })
}

impl Running {
    /// The listening address.
    pub fn address(&self) -> &Address {
        &self.address
    }

    /// Stops: closes all connections, waits for running signatures, and removes the socket.
    ///
    /// # Panics
    /// When a thread of the server panicked.
    pub fn stop(mut self) {
        if let Err(panic) = self.end() {
            std::panic::resume_unwind(panic);
        }
    }

    fn end(&mut self) -> thread::Result<()> {
        drop(self.runs.take());
        self.thread.take().map_or(Ok(()), JoinHandle::join)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if self.end().is_err() {
            log::error!("a thread of the signer has panicked");
        }
    }
}

fn accept_all(
    incoming: Incoming,
    (runtime, stopped): (&Runtime, oneshot::Receiver<()>),
    service: &Service,
    limits: Limits,
) {
    let slots = Slots::new(limits.connections);
    thread::scope(|scope| {
        let begin = |accepted| begin(scope, accepted, &slots, (service, limits));
        runtime.block_on(each(&incoming, stopped, begin));
        slots.close_all();
    });
}

/// Accepts connections until the server stops.
async fn each(incoming: &Incoming, mut stopped: oneshot::Receiver<()>, begin: impl Fn(Accepted)) {
    loop {
        let next = tokio::select! {
            biased;
            _ = &mut stopped => return,
            next = incoming.next() => next,
        };
        match next {
            Ok(accepted) => begin(accepted),
            Err(error) => {
                log::warn!("a connection was not accepted: {error}");
                thread::sleep(PAUSE);
            }
        }
    }
}

fn begin<'scope>(
    scope: &'scope Scope<'scope, '_>,
    accepted: Accepted,
    slots: &'scope Slots,
    (service, limits): (&'scope Service, Limits),
) {
    let (peer, name) = match accepted.peer() {
        Ok(peer) => {
            let name = peer.to_string();
            (peer, name)
        }
        Err(error) => {
            log::warn!("a connection was not accepted: {error}");
            return;
        }
    };
    let place = slots.enter(peer);
    let work = move || attend(accepted, &place, service, (limits, &name));
    let started = thread::Builder::new()
        .name("duet-connection".to_owned())
        .spawn_scoped(scope, work);
    if let Err(error) = started {
        log::warn!("cannot start a thread for a connection: {error}");
    }
}

fn attend(
    accepted: Accepted,
    place: &Place<'_>,
    service: &Service,
    (limits, name): (Limits, &str),
) {
    let mut channel = match accepted.open(in_time(limits.greeting)) {
        Ok(channel) => channel,
        Err(error) => {
            log::warn!("{name} was refused: {error}");
            return;
        }
    };
    if let Err(ended) = greet(&mut *channel, place) {
        log::warn!("{name} was refused: {ended}");
        return;
    }
    log::info!("{name} is connected");
    let times = Times {
        idle: limits.idle,
        answer: limits.answer,
    };
    let ended: Ended = serve(&mut *channel, service, times);
    if ended.is_usual() {
        log::info!("the connection of {name} ended: {ended}");
    } else {
        log::warn!("the connection of {name} was closed: {ended}");
    }
}
