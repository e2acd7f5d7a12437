//! Free TCP ports.

use crate::{Error, Result};
use std::{
    net::{Ipv4Addr, TcpListener},
    sync::atomic::{AtomicU16, Ordering},
};

/// Below the range from which systems take the ports of outgoing connections, so that no connection can take a port
/// between our check and the node's start.
const SEARCHED: std::ops::Range<u16> = 20_000..32_000;

/// The ports of a node.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ports {
    pub(crate) p2p: u16,
    pub(crate) rpc: u16,
    /// The port for metrics, if the node exposes them.
    pub(crate) metrics: Option<u16>,
}

/// The start of this process's next search, so that no two of its networks race for a port.
static NEXT: AtomicU16 = AtomicU16::new(0);

/// Hands out ports, each once.
#[derive(Debug)]
pub(crate) enum PortPool {
    /// The user's ports, in order; a port already in use is an error.
    Chosen {
        /// The port after the last one handed out; none after the highest port.
        next: Option<u16>,
    },
    /// Any free ports.
    Searched,
}

impl PortPool {
    /// Ports from `base` on, two for each node, as the user asked.
    pub(crate) fn from_base(base: u16) -> Self {
        Self::Chosen { next: Some(base) }
    }

    /// Any free ports. Programs that run at the same time begin at different places.
    pub(crate) fn search() -> Self {
        Self::Searched
    }

    /// The next two ports.
    ///
    /// # Errors
    /// [`Error::NoPort`] when a port chosen by the user is in use, or all are.
    pub(crate) fn take(&mut self) -> Result<Ports> {
        Ok(Ports {
            p2p: self.take_one()?,
            rpc: self.take_one()?,
            metrics: None,
        })
    }

    /// The next port.
    ///
    /// # Errors
    /// As for [`PortPool::take`].
    pub(crate) fn take_one(&mut self) -> Result<u16> {
        match self {
            Self::Chosen { next } => {
                let port = next.ok_or(Error::NoPort { first: u16::MAX })?;
                *next = port.checked_add(1);
                is_free(port)
                    .then_some(port)
                    .ok_or(Error::NoPort { first: port })
            }
            Self::Searched => (0..SEARCHED.len())
                .map(|_| searched(NEXT.fetch_add(1, Ordering::Relaxed), std::process::id()))
                .find(|port| is_free(*port))
                .ok_or(Error::NoPort {
                    first: SEARCHED.start,
                }),
        }
    }
}

/// A free port for a program other than a node of a [`Network`](crate::Network).
///
/// # Errors
/// [`Error::NoPort`] when all are taken.
pub fn free_port() -> Result<u16> {
    PortPool::search().take_one()
}

/// The port to try after `earlier` others.
fn searched(earlier: u16, process: u32) -> u16 {
    let length = u32::from(SEARCHED.end - SEARCHED.start);
    let place = process.wrapping_mul(64).wrapping_add(u32::from(earlier)) % length;
    SEARCHED.start + u16::try_from(place).unwrap_or(0)
}

fn is_free(port: u16) -> bool {
    TcpListener::bind((Ipv4Addr::LOCALHOST, port)).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A port that stays in use as long as the listener lives.
    fn taken() -> (TcpListener, u16) {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let port = listener.local_addr().unwrap().port();
        (listener, port)
    }

    #[test]
    fn a_taken_port_is_not_free_and_free_again_when_it_is_given_back() {
        let (listener, port) = taken();
        assert!(!is_free(port));
        drop(listener);
        assert!(is_free(port));
    }

    #[test]
    fn no_port_is_handed_out_twice() {
        let mut pools = [PortPool::search(), PortPool::search()];
        let mut seen = std::collections::BTreeSet::new();
        for round in 0..20 {
            let ports = pools[round % 2].take().unwrap();
            assert!(SEARCHED.contains(&ports.p2p) && SEARCHED.contains(&ports.rpc));
            assert!(seen.insert(ports.p2p) && seen.insert(ports.rpc));
        }
    }

    #[test]
    fn a_search_stays_in_its_range_wherever_it_begins() {
        for (earlier, process) in [(0, 0), (u16::MAX, u32::MAX), (11_999, 1), (12_000, 1)] {
            assert!(SEARCHED.contains(&searched(earlier, process)));
        }
    }

    #[test]
    fn a_taken_port_that_the_user_chose_is_an_error() {
        let (_listener, port) = taken();
        assert!(
            matches!(PortPool::from_base(port).take(), Err(Error::NoPort { first }) if first == port)
        );
    }

    #[test]
    fn there_is_no_port_after_the_last() {
        let mut pool = PortPool::Chosen { next: None };
        assert!(matches!(pool.take(), Err(Error::NoPort { .. })));
    }
}
