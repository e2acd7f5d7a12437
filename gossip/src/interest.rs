//! A node's interest in messages of the gossip protocol. (GOSSIP-9)
//!
//! A node announces it in the handshake of the protocol, which is one byte: the SDK's roles. Older nodes read it as a
//! full node either way, and send everything.

use crate::LOG_TARGET;
use sc_network::{config::NotificationHandshake, NotificationService, Roles};

/// A node's interest in messages of the gossip protocol. (GOSSIP-9)
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Interest {
    /// Votes and proofs: the node votes, or relays votes for validators.
    #[default]
    Votes,
    /// Proofs only. The node drops votes unread, and relays proofs.
    Proofs,
}

impl Interest {
    /// The handshake with this interest; `None` for the one that the network back end derives from the node's role.
    pub(crate) fn handshake(self) -> Option<NotificationHandshake> {
        match self {
            Self::Votes => None,
            Self::Proofs => Some(NotificationHandshake::new(Roles::FULL | Roles::LIGHT)),
        }
    }

    /// Makes a running service announce it. libp2p already does, if it was configured to; litep2p replaces the
    /// configured handshake by the node's role.
    pub(crate) fn announce(self, service: &mut dyn NotificationService) {
        if let Some(handshake) = self.handshake() {
            if service.try_set_handshake(handshake.to_vec()).is_err() {
                log::error!(target: LOG_TARGET, "cannot tell peers that this node wants no votes");
            }
        }
    }

    /// The interest of a peer with this handshake. A handshake without it means everything.
    pub(crate) fn of_handshake(handshake: &[u8]) -> Self {
        let roles = handshake.first().copied().and_then(Roles::from_bits);
        match roles {
            Some(roles) if roles.contains(Roles::LIGHT) => Self::Proofs,
            _ => Self::Votes,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sc_network::{ObservedRole, Roles};

    /// GOSSIP-9.
    #[test]
    fn a_handshake_says_what_a_node_wants_to_hear() {
        let light = Interest::Proofs.handshake().expect("a handshake");
        assert_eq!(*light, [3]);
        assert_eq!(Interest::of_handshake(&light), Interest::Proofs);
        for roles in [Roles::FULL, Roles::AUTHORITY, Roles::NONE] {
            let handshake = [roles.bits()];
            assert_eq!(Interest::of_handshake(&handshake), Interest::Votes);
        }
        for unknown in [&[][..], &[0xff], b"a handshake of something else"] {
            assert_eq!(Interest::of_handshake(unknown), Interest::Votes);
        }
    }

    /// Later versions may append more.
    #[test]
    fn bytes_behind_the_roles_are_tolerated() {
        assert_eq!(Interest::of_handshake(&[3, 7]), Interest::Proofs);
        assert_eq!(Interest::of_handshake(&[1, 7]), Interest::Votes);
    }

    #[test]
    fn nodes_that_know_nothing_of_this_read_a_full_node() {
        let light = Interest::Proofs.handshake().expect("a handshake");
        let roles = Roles::from_bits(light[0]).expect("roles of the SDK");
        assert_eq!(ObservedRole::from(roles), ObservedRole::Full);
    }
}
