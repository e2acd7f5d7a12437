//! What a peer's votes do to its reputation: the rows of the node's table for a round's votes.
//!
//! The table is `gossip/src/reputation.rs`, and the threshold is the SDK's. Linking them would take the SDK's client, so
//! the figures are repeated here, and a test compares them with those of a node.

/// The SDK bans a peer whose reputation is below this.
pub const BANNED_THRESHOLD: i32 = 71 * (i32::MIN / 100);

/// How many bad votes in a row are just not a ban yet.
pub const STRIKES: i32 = 100;

/// What a vote earns that was new and valid: from the node's table, and from the SDK's gossip engine.
pub const GOOD_VOTE: i32 = 100 + 16;

/// What a vote costs whose signature does not hold.
pub const BAD_VOTE: i32 = BANNED_THRESHOLD / STRIKES;

/// The reputation of one peer at one node. It does not decay here: a round is short beside the 138 seconds in which
/// the SDK halves it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reputation(i32);

impl Reputation {
    /// Counts so many valid votes.
    pub fn reward(&mut self, votes: u32) {
        let votes = i32::try_from(votes).unwrap_or(i32::MAX);
        self.0 = self.0.saturating_add(GOOD_VOTE.saturating_mul(votes));
    }

    /// Counts one bad vote; says whether the peer is banned now.
    pub fn strike(&mut self) -> bool {
        self.0 = self.0.saturating_add(BAD_VOTE);
        self.is_banned()
    }

    /// Whether nothing is read from the peer any more.
    pub fn is_banned(self) -> bool {
        self.0 < BANNED_THRESHOLD
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use duet_gossip::reputation::PeerBehaviour;

    #[test]
    fn the_figures_are_those_of_a_node() {
        /// What the SDK's gossip engine adds for a message that was new.
        const NEW_MESSAGE: i32 = 16;
        let good = PeerBehaviour::GoodVote.reputation().value;
        assert_eq!(GOOD_VOTE, good.saturating_add(NEW_MESSAGE));
        assert_eq!(BAD_VOTE, PeerBehaviour::BadVote.reputation().value);
        assert_eq!(BANNED_THRESHOLD, sc_network::peer_store::BANNED_THRESHOLD);
    }

    #[test]
    fn a_stranger_is_banned_by_its_hundred_and_first_bad_vote() {
        let mut reputation = Reputation::default();
        for _ in 0..STRIKES {
            assert!(!reputation.strike());
        }
        assert!(reputation.strike());
    }

    #[test]
    fn good_votes_buy_no_bad_ones() {
        let mut reputation = Reputation::default();
        reputation.reward(10_000);
        assert_eq!((0..200).position(|_| reputation.strike()), Some(100));
    }
}
