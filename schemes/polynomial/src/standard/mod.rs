//! Mean and variance under standard assumptions, with linearly homomorphic signatures.
//!
//! Every source signs its value x under one label and x² under another. The weighted sums of both, each with one
//! combined signature, give the mean and the variance: `S1 / W` and `S2 / W - (S1 / W)²`. The proof of a variance over
//! t sources has 96 + 64 t bytes, regardless of the number of values.
//!
//! Verifiers trust a source for its values, and also for signing the correct squares. A sum of squares that no values
//! can have is refused, and the source is named. A smaller lie about a square is accepted, like a lie about a value.

mod error;
mod proof;
mod view;

pub use error::{StandardError, MAX_VALUE};
pub use proof::{Proof, Record};
pub use view::{Entry, Metric, View};

use crate::{
    assurance::{Standard, Verified},
    statistics::{Stat, Statistic, VerifiableStats},
};
use duet_mklhs::{LabelRegister, Message, Signature, SigningKey};
use view::Power;

/// A source of values: a key and its register.
#[derive(Debug)]
pub struct Source {
    /// Its key.
    pub key: SigningKey,
    /// The record of the key's signatures.
    pub register: LabelRegister,
    /// The metric that it reports.
    pub metric: Metric,
}

/// Statistics with the signatures of `duet-mklhs`.
#[derive(Clone, Copy, Debug)]
pub enum StandardStats {}

impl StandardStats {
    /// Checks a proof, and returns the value that it proves: [`VerifiableStats::verify`] without an expected value.
    ///
    /// # Errors
    /// The first broken rule.
    ///
    /// # Security
    /// `view` and `stat` must be the verifier's own, never received with the proof.
    pub fn proven(
        view: &View,
        stat: &Stat,
        proof: &Proof,
    ) -> Result<Verified<Statistic, Standard>, StandardError> {
        Ok(Verified::new(view.statistic(stat, proof)?))
    }
}

impl VerifiableStats for StandardStats {
    type Level = Standard;
    type Signer = Source;
    type Record = Record;
    type View = View;
    type Proof = Proof;
    type Error = StandardError;

    fn sign(
        signer: &mut Source,
        data_set: &[u8],
        values: &[i64],
    ) -> Result<Vec<Record>, StandardError> {
        let count = u32::try_from(values.len())
            .map_err(|_| StandardError::TooManyValues { got: values.len() })?;
        let mut labels = Vec::with_capacity(2 * values.len());
        for (index, value) in (0..count).zip(values) {
            let magnitude = value.unsigned_abs();
            if magnitude > MAX_VALUE {
                return Err(StandardError::ValueOutOfRange { value: *value });
            }
            let [first, second] = signer.metric.labels(signer.key.id(), data_set, index)?;
            labels.push((first, Message::from(*value)));
            labels.push((second, Message::from(magnitude * magnitude)));
        }
        let requests: Vec<_> = labels
            .iter()
            .map(|(label, message)| (label, *message))
            .collect();
        let signatures = signer.register.sign_all(&signer.key, &requests)?;
        let (pairs, _) = signatures.as_chunks::<2>();
        let record = |[value, square]: &[Signature; 2]| Record {
            value: *value,
            square: *square,
        };
        Ok(pairs.iter().map(record).collect())
    }

    fn prove(
        view: &View,
        stat: &Stat,
        records: &[Record],
    ) -> Result<(Statistic, Proof), StandardError> {
        view.expect_count(records.len())?;
        let squares = match stat {
            Stat::Variance => Some(view.combine(stat, Power::Second, records)?),
            Stat::Mean | Stat::Linear(_) => None,
        };
        let proof = Proof {
            sum: view.combine(stat, Power::First, records)?,
            squares,
        };
        Ok((view.statistic(stat, &proof)?, proof))
    }

    fn verify(
        view: &View,
        stat: &Stat,
        claim: &Statistic,
        proof: &Proof,
    ) -> Result<Verified<Statistic, Standard>, StandardError> {
        let proven = Self::proven(view, stat, proof)?;
        if proven.value() != claim {
            return Err(StandardError::ValueMismatch);
        }
        Ok(proven)
    }
}
