//! TCP ports that nobody uses.

use crate::{Error, Result};
use std::net::{Ipv4Addr, TcpListener};

/// Below the range from which systems take the ports of outgoing connections, so that none of those can take
/// a port between our look at it and the node's start.
const SEARCHED: std::ops::Range<u16> = 20_000..32_000;

/// The two ports of a node.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ports {
    pub(crate) p2p: u16,
    pub(crate) rpc: u16,
}

/// Hands out ports, each once.
#[derive(Debug)]
pub(crate) struct PortPool {
    next: u16,
    /// Whether ports that are taken are passed over, or an error.
    may_search: bool,
}

impl PortPool {
    /// Ports from `base` on, two for each node, as the user wants them.
    pub(crate) fn from_base(base: u16) -> Self {
        Self {
            next: base,
            may_search: false,
        }
    }

    /// Any free ports. Programs that run at the same time begin at different places.
    pub(crate) fn search() -> Self {
        let length = u32::from(SEARCHED.end - SEARCHED.start);
        let offset = std::process::id().wrapping_mul(64) % length;
        let next = SEARCHED.start + u16::try_from(offset).unwrap_or(0);
        Self {
            next,
            may_search: true,
        }
    }

    /// The next two ports.
    ///
    /// # Errors
    /// [`Error::NoPort`] when they are taken, or all are.
    pub(crate) fn take(&mut self) -> Result<Ports> {
        Ok(Ports {
            p2p: self.take_one()?,
            rpc: self.take_one()?,
        })
    }

    fn take_one(&mut self) -> Result<u16> {
        let first = self.next;
        let tries = if self.may_search { SEARCHED.len() } else { 1 };
        for _ in 0..tries {
            let port = self.next;
            self.next = self.after(port);
            if TcpListener::bind((Ipv4Addr::LOCALHOST, port)).is_ok() {
                return Ok(port);
            }
        }
        Err(Error::NoPort { first })
    }

    fn after(&self, port: u16) -> u16 {
        match port.checked_add(1) {
            Some(next) if !self.may_search || next < SEARCHED.end => next,
            _ => SEARCHED.start,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_search_passes_over_a_port_that_is_taken() {
        let mut pool = PortPool::search();
        let free = pool.take().unwrap().p2p;
        let _taken = TcpListener::bind((Ipv4Addr::LOCALHOST, free)).unwrap();
        let mut again = PortPool {
            next: free,
            may_search: true,
        };
        assert_ne!(again.take().unwrap().p2p, free);
    }

    #[test]
    fn a_taken_port_that_the_user_chose_is_an_error() {
        let free = PortPool::search().take().unwrap().p2p;
        let _taken = TcpListener::bind((Ipv4Addr::LOCALHOST, free)).unwrap();
        assert!(
            matches!(PortPool::from_base(free).take(), Err(Error::NoPort { first }) if first == free)
        );
    }
}
