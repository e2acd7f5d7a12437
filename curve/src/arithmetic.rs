//! Which processor instructions batched checks use.

use core::fmt;
#[cfg(target_arch = "x86_64")]
use std::is_x86_feature_detected;
use std::sync::atomic::{AtomicU8, Ordering};

/// How field elements are multiplied where many are multiplied at once. Verdicts do not depend on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arithmetic {
    /// One at a time, with blst's assembly. Every processor can.
    Portable,
    /// Sixteen at a time, with the multiplier of floating-point numbers of AVX-512 (F and DQ).
    Avx512,
    /// Sixteen at a time, with AVX-512 IFMA.
    Avx512Ifma,
}

/// The processor lacks the instructions of an [`Arithmetic`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("this processor does not support {0}")]
pub struct Unsupported(pub Arithmetic);

impl fmt::Display for Arithmetic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Portable => "portable arithmetic",
            Self::Avx512 => "AVX-512",
            Self::Avx512Ifma => "AVX-512 IFMA",
        })
    }
}

/// From the slowest to the fastest.
const ALL: [Arithmetic; 3] = [
    Arithmetic::Portable,
    Arithmetic::Avx512,
    Arithmetic::Avx512Ifma,
];

/// Not chosen yet.
const UNKNOWN: u8 = u8::MAX;

/// The index in [`ALL`] of the arithmetic in use.
static CURRENT: AtomicU8 = AtomicU8::new(UNKNOWN);

impl Arithmetic {
    /// The arithmetic that this processor supports, from the slowest to the fastest.
    pub fn supported() -> impl Iterator<Item = Self> {
        ALL.into_iter()
            .filter(|arithmetic| arithmetic.is_supported())
    }

    /// Whether this processor has the instructions.
    pub(crate) fn is_supported(self) -> bool {
        #[cfg(target_arch = "x86_64")]
        let (has_avx512, has_ifma) = (
            is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512dq"),
            is_x86_feature_detected!("avx512ifma"),
        );
        #[cfg(not(target_arch = "x86_64"))]
        let (has_avx512, has_ifma) = (false, false);
        match self {
            Self::Portable => true,
            Self::Avx512 => has_avx512,
            Self::Avx512Ifma => has_avx512 && has_ifma,
        }
    }

    /// The arithmetic in use: the fastest supported one, unless another was chosen.
    pub fn current() -> Self {
        let index = CURRENT.load(Ordering::Relaxed);
        if let Some(current) = ALL.get(usize::from(index)) {
            return *current;
        }
        let fastest = Self::supported().last().unwrap_or(Self::Portable);
        CURRENT.store(fastest.index(), Ordering::Relaxed);
        fastest
    }

    /// Chooses the arithmetic of the whole process: for measurements, and where a processor slows down on wide
    /// instructions.
    ///
    /// # Errors
    /// The processor lacks the instructions; nothing changes.
    pub fn choose(self) -> Result<(), Unsupported> {
        if !self.is_supported() {
            return Err(Unsupported(self));
        }
        CURRENT.store(self.index(), Ordering::Relaxed);
        Ok(())
    }

    fn index(self) -> u8 {
        match self {
            Self::Portable => 0,
            Self::Avx512 => 1,
            Self::Avx512Ifma => 2,
        }
    }
}
