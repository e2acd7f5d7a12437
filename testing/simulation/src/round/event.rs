//! What happens in a round, and how the queue keeps it.

/// What travels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Message {
    /// Good votes, by the number of their batch.
    VoteBatch(u32),
    /// One bad vote.
    Garbage,
    /// A finality proof.
    Proof,
}

/// What happens. An edge is the one on which the message came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum What {
    /// A node has finalized the block and prepares its commitment.
    Prepares { node: u32 },
    /// A validator votes.
    Cast { batch: u32 },
    /// The first byte of a message arrives.
    Arrives { edge: u32, message: Message },
    /// The engine of the receiver has looked at a message.
    Handled { edge: u32, message: Message },
    /// A thread is done with what it checked.
    Checked { job: u32 },
    /// The sender learns that the receiver has room again.
    Credit { edge: u32 },
    /// The voter has added up a proof.
    Concludes { node: u32 },
    /// A node's turn to publish has come.
    Publishes { node: u32 },
    /// A garbage sender sends the next bad vote.
    Garbage { edge: u32 },
    /// A node relays votes to the peers that did not get them at once.
    Relays { node: u32, batch: u32 },
}

/// Bits of the number of a batch: more than [`MAX_VALIDATORS`](crate::MAX_VALIDATORS) batches have.
const BATCH_BITS: u32 = 24;
const PROOF: u64 = (1 << BATCH_BITS) - 1;
const GARBAGE: u64 = PROOF - 1;

/// Of events at the same time, those with the lower kind come first.
const KIND_SHIFT: u32 = u32::BITS + BATCH_BITS;

impl What {
    /// As a number: the kind, the edge, node or batch, and the message. Different events have different numbers.
    pub(super) fn encode(self) -> u64 {
        let number = |kind: u64, at: u32, message: u64| {
            (kind << KIND_SHIFT) | (u64::from(at) << BATCH_BITS) | message
        };
        match self {
            Self::Prepares { node } => number(0, node, 0),
            Self::Cast { batch } => number(1, batch, 0),
            Self::Arrives { edge, message } => number(2, edge, message.encode()),
            Self::Handled { edge, message } => number(3, edge, message.encode()),
            Self::Checked { job } => number(4, job, 0),
            Self::Credit { edge } => number(5, edge, 0),
            Self::Concludes { node } => number(6, node, 0),
            Self::Publishes { node } => number(7, node, 0),
            Self::Garbage { edge } => number(8, edge, 0),
            Self::Relays { node, batch } => number(9, node, u64::from(batch)),
        }
    }

    /// What [`What::encode`] was given; `None` for other numbers.
    pub(super) fn decode(number: u64) -> Option<Self> {
        let at = u32::try_from((number >> BATCH_BITS) & u64::from(u32::MAX)).ok()?;
        let message = || Message::decode(number & PROOF);
        Some(match number >> KIND_SHIFT {
            0 => Self::Prepares { node: at },
            1 => Self::Cast { batch: at },
            2 => Self::Arrives {
                edge: at,
                message: message()?,
            },
            3 => Self::Handled {
                edge: at,
                message: message()?,
            },
            4 => Self::Checked { job: at },
            5 => Self::Credit { edge: at },
            6 => Self::Concludes { node: at },
            7 => Self::Publishes { node: at },
            8 => Self::Garbage { edge: at },
            9 => Self::Relays {
                node: at,
                batch: u32::try_from(number & PROOF).ok()?,
            },
            _ => return None,
        })
    }
}

impl Message {
    fn encode(self) -> u64 {
        match self {
            Self::VoteBatch(batch) => u64::from(batch),
            Self::Garbage => GARBAGE,
            Self::Proof => PROOF,
        }
    }

    fn decode(number: u64) -> Option<Self> {
        match number {
            GARBAGE => Some(Self::Garbage),
            PROOF => Some(Self::Proof),
            batch => u32::try_from(batch).ok().map(Self::VoteBatch),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::MAX_VALIDATORS;

    #[test]
    fn what_is_kept_is_what_was_entered() {
        let at = u32::MAX;
        let mut all = vec![
            What::Prepares { node: at },
            What::Cast { batch: at },
            What::Checked { job: at },
            What::Credit { edge: at },
            What::Concludes { node: at },
            What::Publishes { node: at },
            What::Garbage { edge: at },
            What::Relays { node: at, batch: 7 },
        ];
        for message in [
            Message::VoteBatch(0),
            Message::VoteBatch(MAX_VALIDATORS),
            Message::Garbage,
            Message::Proof,
        ] {
            all.push(What::Arrives { edge: at, message });
            all.push(What::Handled { edge: 0, message });
        }
        for what in all {
            assert_eq!(What::decode(what.encode()), Some(what));
        }
        assert_eq!(What::decode(u64::MAX), None);
    }
}
