//! The statistics of this crate by polynomial signatures.

use super::{
    error::{EvaluateError, FunctionError, SignError, VerifyError},
    function::Polynomial,
    identifier::Tag,
    key::PublicKey,
    register::LabelRegister,
    sign::Signer,
    signature::Signature,
    BadEncoding,
};
use crate::{
    assurance::{Experimental, Verified},
    statistics::{Stat, Statistic, VerifiableStats},
};
use num_bigint::BigInt;
use std::{marker::PhantomData, num::NonZeroUsize};
use thiserror::Error;

/// Why something was refused.
#[derive(Debug, Error)]
pub enum StatisticsError {
    /// The data set's name is too long.
    #[error("the name of the data set is too long")]
    Tag(#[from] BadEncoding),
    /// The statistic is none of this many values.
    #[error(transparent)]
    Function(#[from] FunctionError),
    /// There is not one coefficient for each value.
    #[error("the view names {expected} values, and {got} coefficients were given")]
    CountMismatch {
        /// How many values the view names.
        expected: u32,
        /// How many coefficients came.
        got: usize,
    },
    /// The values could not be signed.
    #[error(transparent)]
    Sign(#[from] SignError),
    /// The records do not combine, or results of the view's values may wrap around mod p.
    #[error(transparent)]
    Evaluate(#[from] EvaluateError),
    /// The proof does not hold.
    #[error(transparent)]
    Verify(#[from] VerifyError),
    /// The claim is over another denominator than the statistic.
    #[error("the claim is over another denominator than the statistic")]
    WrongDenominator,
}

/// What the verifier knows by itself.
#[derive(Clone, Debug)]
pub struct View {
    /// The signer's key.
    pub key: PublicKey,
    /// The data set.
    pub tag: Tag,
    /// How many values it has.
    pub count: u32,
    /// The largest magnitude of a value.
    pub range: u64,
}

impl View {
    /// The polynomial of a statistic, and what its value is over.
    fn function(&self, stat: &Stat) -> Result<(Polynomial, BigInt), StatisticsError> {
        let count = BigInt::from(self.count);
        match stat {
            Stat::Variance => Ok((Polynomial::variance(self.count)?, &count * &count)),
            Stat::Mean => Ok((Polynomial::sum(self.count)?, count)),
            Stat::Linear(weights) => {
                let function = Polynomial::linear(weights)?;
                self.expect_count(weights.len())?;
                Ok((function, 1.into()))
            }
        }
    }

    fn expect_count(&self, got: usize) -> Result<(), StatisticsError> {
        let expected = self.count;
        if u32::try_from(got) == Ok(expected) {
            Ok(())
        } else {
            Err(StatisticsError::CountMismatch { expected, got })
        }
    }
}

/// Statistics by polynomial signatures, which anybody can forge. `R` is the signer's register.
#[derive(Debug)]
pub struct ExperimentalStats<R>(PhantomData<R>);

impl<R: LabelRegister> VerifiableStats for ExperimentalStats<R> {
    type Level = Experimental;
    type Signer = Signer<R>;
    type Record = Signature;
    type View = View;
    type Proof = Signature;
    type Error = StatisticsError;

    fn sign(
        signer: &mut Signer<R>,
        data_set: &[u8],
        values: &[i64],
    ) -> Result<Vec<Signature>, StatisticsError> {
        let values: Vec<_> = values.iter().map(|value| BigInt::from(*value)).collect();
        let workers = std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
        Ok(signer.sign_data_set(&Tag::new(data_set)?, &values, workers)?)
    }

    fn prove(
        view: &View,
        stat: &Stat,
        records: &[Signature],
    ) -> Result<(Statistic, Signature), StatisticsError> {
        let (function, denominator) = view.function(stat)?;
        let result = view.key.evaluate(&function, records, view.range)?;
        let statistic = Statistic::new(result.value, denominator);
        let statistic = statistic.ok_or(FunctionError::EmptyFunction)?;
        Ok((statistic, result.signature))
    }

    fn verify(
        view: &View,
        stat: &Stat,
        claim: &Statistic,
        proof: &Signature,
    ) -> Result<Verified<Statistic, Experimental>, StatisticsError> {
        let (function, denominator) = view.function(stat)?;
        if claim.denominator() != &denominator {
            return Err(StatisticsError::WrongDenominator);
        }
        // Who proves need not have asked: a result that wrapped around mod p is signed as well as any.
        let range = view.range;
        if !view.key.is_exact(&function, range) {
            return Err(EvaluateError::ResultOutOfRange { range }.into());
        }
        view.key
            .verify(&view.tag, &function, claim.numerator(), proof)?;
        Ok(Verified::new(claim.clone()))
    }
}
