//! The voter's view of the votes, for operators.

use super::Voter;
use crate::{attendance::Attendance, Millis, MissingMember, VotesView};
use duet_primitives::{Justification, Keyset, SignerIndex};

impl Voter {
    /// Records the signers of a proof by the signing set.
    pub(super) fn hear_signers(&mut self, proof: &Justification, now: Millis) {
        let Some(members) = self.signing_set().map(|set| set.keyset().len()) else {
            return;
        };
        let rounds = self.rounds.entry(self.set_id()).or_default();
        rounds.hear_signers(proof, members, now);
    }

    /// Members of the signing set that voted, members that did not, and since when; `None` until the set is loaded.
    ///
    /// Cost: a look-up for each member, and one for each open round.
    pub fn votes_view(&self, now: Millis) -> Option<VotesView> {
        let set = self.signing_set()?.keyset();
        let rounds = self.rounds.get(&set.id());
        let own = self.own_signer();
        let unheard = Attendance::default();
        let attendance = rounds.map_or(&unheard, |rounds| rounds.attendance());
        let (voted, missing) = divide(set, attendance, now);
        Some(VotesView {
            set: set.id(),
            members: set.len(),
            threshold: set.threshold(),
            own,
            best_proven: self.state.best_number(),
            target: self.target(),
            mandatory: self.state.pending(),
            rounds: rounds
                .into_iter()
                .flat_map(|rounds| rounds.views(own, now))
                .collect(),
            newest: attendance.newest(),
            voted,
            missing,
        })
    }
}

/// The members that voted on the newest block, and the others.
fn divide(
    set: &Keyset,
    attendance: &Attendance,
    now: Millis,
) -> (Vec<SignerIndex>, Vec<MissingMember>) {
    let newest = attendance.newest();
    let (mut voted, mut missing) = (Vec::new(), Vec::new());
    for signer in (0..set.len()).map(SignerIndex::new) {
        let heard = attendance.of(signer);
        let last = heard.map(|heard| (heard.block, now.saturating_sub(heard.at)));
        if newest.is_some() && heard.map(|heard| heard.block) == newest {
            voted.push(signer);
        } else if let Some(key) = set.key(signer) {
            let key = key.to_bytes();
            missing.push(MissingMember { signer, key, last });
        }
    }
    (voted, missing)
}
