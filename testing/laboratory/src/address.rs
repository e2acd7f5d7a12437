//! Where on the network a node is.

use std::net::Ipv4Addr;

/// The laboratory's own address, from which it asks the nodes.
const OUTSIDE: u32 = u32::from_be_bytes([10, 77, 0, 1]);
/// The address of the first node.
const FIRST: u32 = u32::from_be_bytes([10, 77, 1, 1]);
/// How many bits of an address are the network's.
pub(crate) const PREFIX: u8 = 16;

/// Who sends or gets a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    /// The laboratory, which watches.
    Outside,
    /// The node with this number.
    Node(u16),
}

impl Place {
    /// Its address.
    pub fn address(self) -> Ipv4Addr {
        match self {
            Self::Outside => OUTSIDE.into(),
            Self::Node(number) => (FIRST + u32::from(number)).into(),
        }
    }

    /// Whose address this is, if any.
    pub fn of(address: Ipv4Addr) -> Option<Self> {
        let address = u32::from(address);
        if address == OUTSIDE {
            return Some(Self::Outside);
        }
        let number = address.checked_sub(FIRST)?;
        u16::try_from(number).ok().map(Self::Node)
    }

    /// From where to where an IPv4 packet goes. `None` for other packets and other addresses.
    pub fn ends_of(packet: &[u8]) -> Option<(Self, Self)> {
        if packet.first()? >> 4 != 4 {
            return None;
        }
        let at = |start: usize| -> Option<Ipv4Addr> {
            let bytes: [u8; 4] = packet.get(start..start + 4)?.try_into().ok()?;
            Some(bytes.into())
        };
        Some((Self::of(at(12)?)?, Self::of(at(16)?)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn packet(from: Ipv4Addr, to: Ipv4Addr) -> Vec<u8> {
        let mut packet = vec![0x45; 20];
        packet[12..16].copy_from_slice(&from.octets());
        packet[16..20].copy_from_slice(&to.octets());
        packet
    }

    #[test]
    fn every_place_is_found_by_its_address() {
        for place in [Place::Outside, Place::Node(0), Place::Node(299)] {
            assert_eq!(Place::of(place.address()), Some(place));
        }
        assert_eq!(Place::of([10, 76, 0, 1].into()), None);
    }

    #[test]
    fn the_ends_of_a_packet_are_read() {
        let (from, to) = (Place::Node(3), Place::Outside);
        let packet = packet(from.address(), to.address());
        assert_eq!(Place::ends_of(&packet), Some((from, to)));
        assert_eq!(Place::ends_of(&packet[..19]), None, "it is cut short");
        assert_eq!(Place::ends_of(&[]), None);
    }

    #[test]
    fn packets_of_other_kinds_and_to_other_addresses_go_nowhere() {
        let node = Place::Node(0).address();
        let mut six = packet(node, node);
        six[0] = 0x60;
        assert_eq!(Place::ends_of(&six), None);
        let multicast = packet(node, [224, 0, 0, 251].into());
        assert_eq!(Place::ends_of(&multicast), None);
    }
}
