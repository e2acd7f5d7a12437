//! What a node wants to hear over the gossip protocol. (GOSSIP-9)
//!
//! A node says so in the handshake of the protocol, which is one byte: the roles of the SDK. Nodes that know nothing of
//! this read a full node from it either way, and send everything.

use crate::LOG_TARGET;
use sc_network::{config::NotificationHandshake, NotificationService, Roles};

/// What a node wants to hear over the gossip protocol. (GOSSIP-9)
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Interest {
    /// Votes and proofs: the node votes, or relays votes for those that do.
    #[default]
    Votes,
    /// Proofs only. The node drops votes unread, and relays proofs.
    Proofs,
}

impl Interest {
    /// The handshake that says so; `None` for the one that the network back end makes from the node's role.
    pub(crate) fn handshake(self) -> Option<NotificationHandshake> {
        match self {
            Self::Votes => None,
            Self::Proofs => Some(NotificationHandshake::new(Roles::FULL | Roles::LIGHT)),
        }
    }

    /// Has a service that runs say so. libp2p does already, if it was configured to; litep2p puts the node's role in the
    /// place of what was configured.
    pub(crate) fn announce(self, service: &mut dyn NotificationService) {
        if let Some(handshake) = self.handshake() {
            if service.try_set_handshake(handshake.to_vec()).is_err() {
                log::error!(target: LOG_TARGET, "peers cannot be told that this node wants no votes");
            }
        }
    }

    /// What a peer wants that sent this handshake. One that says nothing about it wants everything.
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

    /// What follows may say more one day.
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
