//! The switch: packets of all nodes pass through this program, which delays, loses and cuts.
//!
//! Each node has a TUN device; what it sends is read here, judged by [`Links`], and written to the device of who gets it. A thread for
//! each device reads, one thread writes what was delayed. Nothing is decided here.

mod link;
mod queue;

pub use link::{Links, Verdict, Weather};
pub use queue::{Full, Queue};

use crate::{address::Place, Error, Result};
use rand_chacha::{rand_core::SeedableRng, ChaCha8Rng};
use serde::{Deserialize, Serialize};
use std::{
    collections::BTreeMap,
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    thread,
    time::{Duration, Instant},
};
use tappers::Tun;

/// More than the devices' MTU.
const LONGEST_PACKET: usize = 2_048;
/// The packets that are on their way are looked at so often at least.
const LONGEST_NAP: Duration = Duration::from_secs(1);

/// What became of packets between nodes so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// They arrived, or are on their way.
    pub carried: u64,
    /// The weather took them.
    pub lost: u64,
    /// There was no way.
    pub cut: u64,
    /// Too many were on their way.
    pub overflowed: u64,
}

struct State {
    links: Links,
    queue: Queue,
    random: ChaCha8Rng,
    counts: Counts,
}

struct Shared {
    began: Instant,
    devices: BTreeMap<Place, Tun>,
    state: Mutex<State>,
    /// Rings when a packet was queued.
    queued: Condvar,
}

/// The switch with its devices. Its threads end with the program.
#[derive(Clone)]
pub struct Switch(Arc<Shared>);

impl Switch {
    /// Connects these devices.
    ///
    /// # Errors
    /// [`Error::Io`] when no thread can be started.
    pub fn start(devices: BTreeMap<Place, Tun>, seed: u64) -> Result<Self> {
        let places: Vec<_> = devices.keys().copied().collect();
        let shared = Arc::new(Shared {
            began: Instant::now(),
            devices,
            state: Mutex::new(State {
                links: Links::default(),
                queue: Queue::default(),
                random: ChaCha8Rng::seed_from_u64(seed),
                counts: Counts::default(),
            }),
            queued: Condvar::new(),
        });
        for place in places {
            let shared = Arc::clone(&shared);
            spawn("switch-reader", move || shared.read(place))?;
        }
        let delivering = Arc::clone(&shared);
        spawn("switch-writer", move || delivering.deliver())?;
        Ok(Self(shared))
    }

    /// Changes links.
    pub fn change<T>(&self, change: impl FnOnce(&mut Links) -> T) -> T {
        change(&mut self.0.lock().links)
    }

    /// What became of packets so far.
    pub fn counts(&self) -> Counts {
        self.0.lock().counts
    }
}

fn spawn(name: &str, work: impl FnOnce() + Send + 'static) -> Result<()> {
    let thread = thread::Builder::new().name(name.to_owned());
    thread
        .spawn(work)
        .map(|_| ())
        .map_err(Error::io("starting a thread of the switch"))
}

impl Shared {
    /// A thread that panicked has left nothing half done: each change of the state is one statement.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn now(&self) -> Duration {
        self.began.elapsed()
    }

    /// Reads one device until it is gone.
    fn read(&self, place: Place) {
        let Some(device) = self.devices.get(&place) else {
            return;
        };
        let mut buffer = [0; LONGEST_PACKET];
        while let Ok(length) = device.recv(&mut buffer) {
            let packet = buffer.get(..length).unwrap_or_default();
            if let Some(ends) = Place::ends_of(packet) {
                self.take(ends, packet);
            }
        }
    }

    fn take(&self, (from, to): (Place, Place), packet: &[u8]) {
        let mut state = self.lock();
        let State {
            links,
            queue,
            random,
            counts,
        } = &mut *state;
        let between_nodes = from != Place::Outside && to != Place::Outside;
        match links.verdict(from, to, random) {
            Verdict::Cut => counts.cut += 1,
            Verdict::Lost => counts.lost += 1,
            Verdict::Carry(Duration::ZERO) if !queue.is_busy(from, to) => {
                counts.carried += u64::from(between_nodes);
                drop(state);
                self.write(to, packet);
            }
            Verdict::Carry(takes) => {
                let queued = queue.push(self.now(), (from, to), takes, packet.to_vec());
                match queued {
                    Ok(()) => counts.carried += u64::from(between_nodes),
                    Err(Full) => counts.overflowed += 1,
                }
                self.queued.notify_one();
            }
        }
    }

    /// A device whose node is gone takes nothing, as a cable that leads nowhere.
    fn write(&self, to: Place, packet: &[u8]) {
        if let Some(device) = self.devices.get(&to) {
            let _ = device.send(packet);
        }
    }

    fn deliver(&self) {
        let mut state = self.lock();
        loop {
            let now = self.now();
            if let Some(arrived) = state.queue.pop(now) {
                drop(state);
                self.write(arrived.to, &arrived.packet);
                state = self.lock();
                continue;
            }
            let due = state.queue.next_due();
            let nap = due.map_or(LONGEST_NAP, |due| due.saturating_sub(now));
            let rung = self.queued.wait_timeout(state, nap);
            state = rung.unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}
