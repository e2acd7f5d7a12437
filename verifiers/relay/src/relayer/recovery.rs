//! What a look does for a recovery: it watches what the target waits for, and takes the next step of the operator's proof.
//! (RECOVER-7, RECOVER-8)

use super::{Ended, Relayer};
use crate::{
    look::Look,
    metrics::unix_time,
    plan::{Waiting, Wanted},
    recovery::{doubt, obstacle, step, Announcement, RecoveryStatus, Step, Witness},
    source::trusted_at,
    target::{no_recovery, Cargo, Status, Target},
};
use duet_light_client::{recovery_terms, RecoverError, Trusted};
use duet_primitives::{
    suite::RECOVERY_TERMS_STORAGE_KEY, RecoveryProof, RecoveryStatement, StatelessProof,
};
use std::time::Instant;

/// What to bring, and what to call it while it waits.
type Due = (Wanted, Cargo);

impl<T: Target> Relayer<T> {
    /// What the target knows of recoveries.
    pub(super) async fn recovery(&mut self) -> Result<Option<RecoveryStatus>, Ended> {
        let given = self.recovering.given.as_ref();
        let given = given.map(|proof| &proof.statement);
        let Some(recovery) = self.target.recovery(given).await? else {
            return match self.recovering.given {
                Some(_) => Err(no_recovery().into()),
                None => Ok(None),
            };
        };
        self.recovering.tell_of(&recovery);
        if let Some(metrics) = &self.metrics {
            metrics.recovery_is(recovery.announced.as_ref());
        }
        Ok(Some(recovery))
    }

    /// Asks every endpoint what it knows, and takes the next step; `None` when there is none.
    pub(super) async fn recover(
        &mut self,
        status: &Status,
        trusted: &Trusted,
        recovery: &RecoveryStatus,
    ) -> Result<Option<Look>, Ended> {
        let given = self.recovering.given.as_ref();
        let mut given = given.map(|given| given.statement.clone());
        if let Some(late) = given.take_if(|given| given.block_number < recovery.best) {
            let obstacle = obstacle(recovery, None, &late);
            self.recovering.tell_of_obstacle(obstacle);
        }
        if given.is_none() && recovery.announced.is_none() {
            self.recovering.tell_of_doubt(recovery, &[]);
            return Ok(None);
        }
        let about = given.as_ref().map(|given| given.block_number);
        let witnesses = self.source.witnesses(trusted, about).await?;
        self.recovering.tell_of_doubt(recovery, &witnesses);
        let newest = witnesses.iter().filter_map(|it| it.newer.as_ref());
        let newest = newest.max_by_key(|proof| proof.justification.commitment.block_number);
        let newer = newest.map(|proof| proof.justification.commitment.block_number);
        let Some(step) = step(recovery, newer, given.as_ref()) else {
            let obstacle = given.and_then(|given| obstacle(recovery, newer, &given));
            self.recovering.tell_of_obstacle(obstacle);
            return Ok(None);
        };
        let proof = newest.cloned();
        let cargo = match step {
            Step::Cancel => return self.bring_proof(status, trusted, proof, false).await,
            Step::Approach => return self.bring_proof(status, trusted, proof, true).await,
            Step::Announce => self.announcement(status, trusted, &witnesses).await?,
            Step::Cross => self.crossing(status, &witnesses),
        };
        let obstacle = cargo.as_ref().err().cloned();
        self.recovering.tell_of_obstacle(obstacle);
        match cargo {
            Ok((wanted, cargo)) => self.in_turn(wanted, 0, status, cargo).await,
            Err(_) => Ok(None),
        }
    }

    /// Brings a proof: when it is due, or at once.
    async fn bring_proof(
        &mut self,
        status: &Status,
        trusted: &Trusted,
        proof: Option<StatelessProof>,
        waits: bool,
    ) -> Result<Option<Look>, Ended> {
        let Some(proof) = proof else {
            return Ok(None);
        };
        let delivery = self.delivery(trusted, proof).await?;
        let (wanted, absent) = (Wanted::Block(delivery.block()), delivery.absent());
        let cargo = Cargo::Proof(Box::new(delivery));
        if waits {
            return self.in_turn(wanted, absent, status, cargo).await;
        }
        self.bring(cargo).await.map(Some)
    }

    /// Brings something at this relayer's turn.
    async fn in_turn(
        &mut self,
        wanted: Wanted,
        absent: usize,
        status: &Status,
        cargo: Cargo,
    ) -> Result<Option<Look>, Ended> {
        let now = Instant::now();
        let waiting = Waiting::on(self.waiting, wanted, status, now);
        self.waiting = Some(waiting);
        let due = self.in_order(&waiting, absent);
        if due > now && !self.is_dry_run {
            return Ok(Some(Look::Later(due)));
        }
        self.bring(cargo).await.map(Some)
    }

    /// The operator's proof, where nothing stands against paying for it.
    fn affordable(&self, status: &Status, witnesses: &[Witness]) -> Result<RecoveryProof, String> {
        let given = self.recovering.given.as_ref();
        let given = given.ok_or("there is no recovery proof")?;
        match hindrance(status, &given.statement, witnesses) {
            Some(obstacle) => Err(obstacle),
            None => Ok(given.clone()),
        }
    }

    /// The crossing by the operator's statement, or why not.
    fn crossing(&self, status: &Status, witnesses: &[Witness]) -> Result<Due, String> {
        let RecoveryProof { statement, .. } = self.affordable(status, witnesses)?;
        let wanted = Wanted::Crossing(statement.block_number);
        Ok((wanted, Cargo::Crossing(Box::new(statement))))
    }

    /// The operator's proof with all that proves it, checked; or why it does not hold. (RECOVER-4 to RECOVER-7)
    async fn announcement(
        &mut self,
        status: &Status,
        trusted: &Trusted,
        witnesses: &[Witness],
    ) -> Result<Result<Due, String>, Ended> {
        let proof = match self.affordable(status, witnesses) {
            Ok(proof) => proof,
            Err(obstacle) => return Ok(Err(obstacle)),
        };
        let statement = &proof.statement;
        let block = statement.block_number;
        let trusted = trusted_at(trusted, block, statement.block_hash);
        let state = self
            .source
            .state(trusted.best_block(), &[RECOVERY_TERMS_STORAGE_KEY])
            .await?;
        let Some(state) = state else {
            let reason =
                format!("no source keeps the state of block {block}: an archive node does");
            return Ok(Err(reason));
        };
        let value = state.values.first().and_then(Option::as_deref);
        let Some(terms) = recovery_terms(value) else {
            let reason =
                format!("RECOVER-4: the state after block {block} has no recovery set in force");
            return Ok(Err(reason));
        };
        let claim = witnesses.iter().find_map(|it| it.reset.as_ref());
        if let Some(Err(error)) = claim.map(|claim| trusted.recovery_statement(&terms, claim)) {
            return Ok(Err(error.to_string()));
        }
        let checked = proof.check(&terms.set, trusted.genesis_hash());
        match checked {
            Ok(proof) => {
                let announcement = Announcement {
                    proof: proof.into_unchecked(),
                    terms,
                    header: state.header,
                    nodes: state.nodes,
                    mmr_root: self.source.mmr_root(&trusted).await?,
                };
                let cargo = Cargo::Announcement(Box::new(announcement));
                Ok(Ok((Wanted::Announcement(block), cargo)))
            }
            Err(error) => Ok(Err(RecoverError::Proof(error).to_string())),
        }
    }
}

/// Why nothing is paid for this statement now, whether its proof holds or not.
pub(super) fn hindrance(
    status: &Status,
    statement: &RecoveryStatement,
    witnesses: &[Witness],
) -> Option<String> {
    if witnesses.is_empty() {
        return Some("no source answers".to_owned());
    }
    if status.trust.is_some_and(|trust| trust.until < unix_time()) {
        return Some("LIGHT-9: the target's trusting period is over".to_owned());
    }
    doubt(statement, witnesses)
}
