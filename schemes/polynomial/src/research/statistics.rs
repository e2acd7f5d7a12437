//! Statistics with polynomial signatures.

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

/// Why an operation was refused.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum StatisticsError {
    /// The data set's name is too long.
    #[error("the name of the data set is too long")]
    Tag(#[from] BadEncoding),
    /// The statistic is not defined for this number of values.
    #[error(transparent)]
    Function(#[from] FunctionError),
    /// The numbers of coefficients and values differ.
    #[error("the view has {expected} values, but {got} coefficients were given")]
    CountMismatch {
        /// The number of values in the view.
        expected: u32,
        /// The number of coefficients.
        got: usize,
    },
    /// The values could not be signed.
    #[error(transparent)]
    Sign(#[from] SignError),
    /// The records cannot be combined, or results may wrap around mod p.
    #[error(transparent)]
    Evaluate(#[from] EvaluateError),
    /// The proof is invalid.
    #[error(transparent)]
    Verify(#[from] VerifyError),
    /// The denominator of the claim is not that of the statistic.
    #[error("the claim has another denominator than the statistic")]
    WrongDenominator,
}

/// The verifier's own view.
#[derive(Clone, Debug)]
pub struct View {
    /// The signer's key.
    pub key: PublicKey,
    /// The data set.
    pub tag: Tag,
    /// The number of values.
    pub count: u32,
    /// The largest magnitude of a value.
    pub range: u64,
}

impl View {
    /// The polynomial of a statistic, and the denominator of its value.
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

/// Statistics with polynomial signatures, which anyone can forge. `R` is the signer's register.
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
        // A prover may skip this check: a result that wraps around mod p has a valid signature too.
        let range = view.range;
        if !view.key.is_exact(&function, range) {
            return Err(EvaluateError::ResultOutOfRange { range }.into());
        }
        view.key
            .verify(&view.tag, &function, claim.numerator(), proof)?;
        Ok(Verified::new(claim.clone()))
    }
}
