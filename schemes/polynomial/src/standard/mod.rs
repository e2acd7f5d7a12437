//! Mean and variance on standard assumptions, from linearly homomorphic signatures.
//!
//! Every source signs its value x under one label and x² under another. The weighted sums of both, each with one
//! combined signature, give mean and variance: `S1 / W` and `S2 / W - (S1 / W)²`. A proof of a variance by t sources is
//! 96 + 64 t bytes, however many values there are.
//!
//! That the second number is the square of the first is the source's word, as the first itself is. A sum of
//! squares that no values could have is refused, and the source named; a smaller lie passes as a lie about the
//! value would.

mod view;

pub use view::{Entry, Metric, View};

use crate::{
    assurance::{Standard, Verified},
    statistics::{Stat, Statistic, VerifiableStats},
};
use duet_mklhs::{
    CombineError, Combined, DecodeError, LabelError, LabelRegister, Message, ProgramError,
    RegisterError, Signature, SignerId, SigningKey, VerifyError,
};
use view::Power;

/// The largest magnitude of a value: its square is signed too, and signed numbers have 64 bits.
pub const MAX_VALUE: u64 = u32::MAX as u64;

/// Why something was refused.
#[derive(Debug, thiserror::Error)]
pub enum StandardError {
    /// A value whose square has over 64 bits.
    #[error("the value {value} is larger than {MAX_VALUE}")]
    ValueOutOfRange {
        /// The value.
        value: i64,
    },
    /// A data set has more values than an index can number.
    #[error("{got} values are more than can be numbered")]
    TooManyValues {
        /// How many values there are.
        got: usize,
    },
    /// There is not one record, or one coefficient, for each value of the view.
    #[error("the view names {expected} values, and {got} were given")]
    CountMismatch {
        /// How many values the view names.
        expected: usize,
        /// How many records or coefficients came.
        got: usize,
    },
    /// A value of the view has no weight.
    #[error("value {position} has weight zero")]
    ZeroWeight {
        /// Which value of the view.
        position: usize,
    },
    /// The proof is not of the kind that the statistic asks for.
    #[error("the proof is of another kind of statistic")]
    WrongProof,
    /// The proof is right, and of another value than the claimed one.
    #[error("the statistic is not the claimed one")]
    ValueMismatch,
    /// No values have this sum and this sum of squares: the source signed something that is no square.
    #[error("no values of {source_id} have both this sum and this sum of squares")]
    NoSuchValues {
        /// Which source.
        source_id: SignerId,
    },
    /// A name is too long for a label.
    #[error(transparent)]
    Label(#[from] LabelError),
    /// The register refused, or could not be written.
    #[error(transparent)]
    Register(#[from] RegisterError),
    /// The view names no values, or one twice.
    #[error(transparent)]
    Program(#[from] ProgramError),
    /// Records do not hold, or do not combine.
    #[error(transparent)]
    Combine(#[from] CombineError),
    /// The proof does not hold.
    #[error(transparent)]
    Verify(#[from] VerifyError),
    /// Bytes are no signature.
    #[error(transparent)]
    Decode(#[from] DecodeError),
}

/// A source of values: a key and its register.
#[derive(Debug)]
pub struct Source {
    /// Its key.
    pub key: SigningKey,
    /// What the key signed.
    pub register: LabelRegister,
    /// What it measures.
    pub metric: Metric,
}

/// A signed value: the signature of x and that of x².
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// Of the value.
    pub value: Signature,
    /// Of its square.
    pub square: Signature,
}

impl Record {
    /// The two signatures one after the other, 160 bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        [self.value.to_bytes(), self.square.to_bytes()].concat()
    }

    /// # Errors
    /// [`StandardError::Decode`].
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, StandardError> {
        let (value, square) = bytes.split_at(bytes.len().div_ceil(2));
        Ok(Self {
            value: Signature::from_bytes(value)?,
            square: Signature::from_bytes(square)?,
        })
    }
}

/// Combined signatures on the sum, and for a variance on the sum of squares.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proof {
    /// Of the weighted sum of the values.
    pub sum: Combined,
    /// Of the weighted sum of their squares; only in the proof of a variance.
    pub squares: Option<Combined>,
}

impl Proof {
    /// The combined signatures one after the other: 48 + 32 t bytes each for t sources.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = self.sum.to_bytes();
        bytes.extend(self.squares.iter().flat_map(Combined::to_bytes));
        bytes
    }

    /// Reads the proof of a statistic.
    ///
    /// # Errors
    /// [`StandardError::Decode`].
    pub fn from_bytes(stat: &Stat, bytes: &[u8]) -> Result<Self, StandardError> {
        let (sum, squares) = match stat {
            Stat::Mean | Stat::Linear(_) => (bytes, None),
            Stat::Variance => {
                let (sum, squares) = bytes.split_at(bytes.len().div_ceil(2));
                (sum, Some(Combined::from_bytes(squares)?))
            }
        };
        Ok(Self {
            sum: Combined::from_bytes(sum)?,
            squares,
        })
    }
}

/// Statistics by the signatures of `duet-mklhs`.
#[derive(Clone, Copy, Debug)]
pub enum StandardStats {}

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
            let label = |power| signer.metric.label(signer.key.id(), data_set, power, index);
            labels.push((label(Power::First)?, Message::from(*value)));
            labels.push((label(Power::Second)?, Message::from(magnitude * magnitude)));
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
        let statistic = view.statistic(stat, proof)?;
        if &statistic != claim {
            return Err(StandardError::ValueMismatch);
        }
        Ok(Verified::new(statistic))
    }
}
