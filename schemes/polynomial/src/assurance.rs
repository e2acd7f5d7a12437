//! Assurance levels of verified statements, as types.

use core::fmt;

/// The assurance level of a verified statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Assurance {
    /// Forging requires breaking a standard assumption at a commonly used size.
    Standard,
    /// For demonstration only: anyone who holds the public key can forge. Nothing of value may depend on it.
    Experimental,
}

impl fmt::Display for Assurance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Standard => "Standard",
            Self::Experimental => "Experimental",
        })
    }
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for super::Standard {}
    impl Sealed for super::Experimental {}
}

/// An [`Assurance`] level as a type: [`Standard`] or [`Experimental`].
pub trait Level: sealed::Sealed {
    /// The level as a value.
    const ASSURANCE: Assurance;
}

/// See [`Assurance::Standard`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standard {}

/// See [`Assurance::Experimental`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Experimental {}

impl Level for Standard {
    const ASSURANCE: Assurance = Assurance::Standard;
}

impl Level for Experimental {
    const ASSURANCE: Assurance = Assurance::Experimental;
}

/// A verified value, with the assurance level of the scheme.
///
/// Only the checks of this crate create this type. A function that takes `Verified<_, Standard>` does not accept the
/// result of the research scheme. This does not compile:
///
/// ```compile_fail,E0308
/// use duet_polynomial::{Experimental, Standard, Verified};
///
/// fn pay(_: Verified<u64, Standard>) {}
///
/// fn run(result: Verified<u64, Experimental>) {
///     pay(result);
/// }
/// ```
///
/// and this, which differs in one type, does:
///
/// ```
/// use duet_polynomial::{Standard, Verified};
///
/// fn pay(_: Verified<u64, Standard>) {}
///
/// fn run(result: Verified<u64, Standard>) {
///     pay(result);
/// }
/// ```
///
/// A verified value cannot be replaced by another one: there is no `map`.
///
/// ```compile_fail,E0599
/// use duet_polynomial::{Experimental, Standard, Verified};
///
/// fn launder(forged: u64, honest: Verified<u64, Standard>) -> Verified<u64, Standard> {
///     honest.map(|_| forged)
/// }
/// ```
///
/// ```
/// use duet_polynomial::{Standard, Verified};
///
/// fn content(honest: Verified<u64, Standard>) -> u64 {
///     honest.into_value()
/// }
/// ```
pub struct Verified<T, L: Level> {
    value: T,
    level: core::marker::PhantomData<L>,
}

impl<T, L: Level> Verified<T, L> {
    pub(crate) fn new(value: T) -> Self {
        Self {
            value,
            level: core::marker::PhantomData,
        }
    }

    /// The verified value.
    pub fn value(&self) -> &T {
        &self.value
    }

    /// The value without its assurance level.
    pub fn into_value(self) -> T {
        self.value
    }

    /// The assurance level.
    pub fn assurance(&self) -> Assurance {
        L::ASSURANCE
    }
}

impl<T: Clone, L: Level> Clone for Verified<T, L> {
    fn clone(&self) -> Self {
        Self::new(self.value.clone())
    }
}

impl<T: PartialEq, L: Level> PartialEq for Verified<T, L> {
    fn eq(&self, other: &Self) -> bool {
        self.value == other.value
    }
}

impl<T: fmt::Debug, L: Level> fmt::Debug for Verified<T, L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Verified")
            .field("value", &self.value)
            .field("assurance", &L::ASSURANCE)
            .finish()
    }
}
