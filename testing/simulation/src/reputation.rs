//! What a peer's votes do to its standing: the rows of the node's table that a round's votes touch.
//!
//! The table itself is `gossip/src/reputation.rs`, and the threshold is the SDK's. Neither can be linked
//! without the SDK's client, so the figures stand here again, and a test reads that file and compares.

/// The SDK bans a peer whose reputation is below this.
pub const BANNED_THRESHOLD: i32 = 71 * (i32::MIN / 100);

/// How many bad votes in a row are just not a ban yet.
pub const STRIKES: i32 = 100;

/// What a vote earns that was new and valid: from the node's table, and from the SDK's gossip engine.
pub const GOOD_VOTE: i32 = 100 + 16;

/// What a vote costs whose signature does not hold.
pub const BAD_VOTE: i32 = BANNED_THRESHOLD / STRIKES;

/// What one node thinks of one peer. It does not decay here: a round is short beside the 138 seconds in which
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

    #[test]
    fn the_figures_are_those_of_the_nodes_table() {
        let path = concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/../../gossip/src/reputation.rs"
        );
        let table = std::fs::read_to_string(path).expect("the node's table");
        for row in [
            format!("Self::BadVote => Rep::new(strike({STRIKES})"),
            format!("Self::GoodVote => Rep::new({}", GOOD_VOTE - 16),
            "BANNED_THRESHOLD / to_ban".to_owned(),
        ] {
            assert!(table.contains(&row), "no {row:?} in {path}");
        }
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
