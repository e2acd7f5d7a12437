//! Looks up the addresses of a host, until a deadline.
//!
//! The system's lookup cannot be cancelled, so it has a thread: one per client at most, which ends with the lookup.

use std::{
    io,
    net::{SocketAddr, ToSocketAddrs},
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    thread,
    time::Instant,
};

type Looked = io::Result<Vec<SocketAddr>>;

/// A host and a port.
pub(crate) struct Resolver {
    look_up: Arc<dyn Fn() -> Looked + Send + Sync>,
    shared: Arc<Shared>,
}

struct Shared {
    state: Mutex<State>,
    done: Condvar,
}

enum State {
    Idle,
    Running,
    /// The answer is still unclaimed.
    Done(Looked),
}

impl Resolver {
    pub(crate) fn new(host: String, port: u16) -> Self {
        // A numeric address causes no lookup.
        Self::with(move || Ok((host.as_str(), port).to_socket_addrs()?.collect()))
    }

    fn with(look_up: impl Fn() -> Looked + Send + Sync + 'static) -> Self {
        Self {
            look_up: Arc::new(look_up),
            shared: Arc::new(Shared {
                state: Mutex::new(State::Idle),
                done: Condvar::new(),
            }),
        }
    }

    /// The addresses of the host.
    ///
    /// # Errors
    /// The system's error; `TimedOut` when there is no answer before the deadline.
    pub(crate) fn addresses(&self, deadline: Instant) -> Looked {
        let mut state = self.shared.lock();
        loop {
            match std::mem::replace(&mut *state, State::Running) {
                State::Done(looked) => {
                    *state = State::Idle;
                    return looked;
                }
                State::Idle => {
                    if let Err(error) = self.start() {
                        *state = State::Idle;
                        return Err(error);
                    }
                }
                State::Running => {}
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(io::ErrorKind::TimedOut.into());
            }
            let waited = self.shared.done.wait_timeout(state, left);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    fn start(&self) -> io::Result<()> {
        let (look_up, shared) = (self.look_up.clone(), self.shared.clone());
        let work = move || {
            let looked = look_up();
            *shared.lock() = State::Done(looked);
            shared.done.notify_all();
        };
        let name = "duet-look-up".to_owned();
        thread::Builder::new().name(name).spawn(work).map(drop)
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{
        sync::{
            atomic::{AtomicU32, Ordering},
            mpsc,
        },
        time::Duration,
    };

    fn at(port: u16) -> Looked {
        Ok(vec![([127, 0, 0, 1], port).into()])
    }

    fn in_time() -> Instant {
        Instant::now() + Duration::from_secs(20)
    }

    #[test]
    fn addresses_in_digits_are_what_they_say() {
        for (host, expected) in [("127.0.0.1", "127.0.0.1:7"), ("::1", "[::1]:7")] {
            let looked = Resolver::new(host.into(), 7).addresses(in_time()).unwrap();
            assert_eq!(looked, [expected.parse().unwrap()]);
        }
    }

    #[test]
    fn a_lookup_that_hangs_ends_at_the_deadline_and_no_second_one_is_started() {
        let (release, held) = mpsc::channel::<()>();
        let (held, count) = (Mutex::new(held), Arc::new(AtomicU32::new(0)));
        let counted = count.clone();
        let resolver = Resolver::with(move || {
            counted.fetch_add(1, Ordering::SeqCst);
            let _ = held.lock().unwrap().recv();
            at(1)
        });
        for _ in 0..3 {
            let error = resolver
                .addresses(Instant::now() + Duration::from_millis(20))
                .unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::TimedOut);
        }
        release.send(()).unwrap();
        assert_eq!(resolver.addresses(in_time()).unwrap(), at(1).unwrap());
        assert_eq!(count.load(Ordering::SeqCst), 1);
        // A cached answer does not stay valid for ever.
        drop(release);
        resolver.addresses(in_time()).unwrap();
        assert_eq!(count.load(Ordering::SeqCst), 2);
    }
}
