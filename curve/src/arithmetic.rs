//! Which of a processor's instructions checks in bulk are done with.

use core::fmt;
use std::sync::atomic::{AtomicU8, Ordering};

/// How field elements are multiplied where many are at hand at once. Verdicts do not depend on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arithmetic {
    /// One at a time, with blst's assembly. Every processor can.
    Portable,
    /// Sixteen at a time, with the multiplier of floating-point numbers of AVX-512 (F and DQ).
    Avx512,
    /// Sixteen at a time, with AVX-512 IFMA.
    Avx512Ifma,
}

/// The processor lacks what an [`Arithmetic`] needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("this processor cannot do {0}")]
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

/// Nobody has chosen or asked yet.
const UNKNOWN: u8 = u8::MAX;

/// The place in [`ALL`] of what the process uses.
static CURRENT: AtomicU8 = AtomicU8::new(UNKNOWN);

impl Arithmetic {
    /// What this processor can do, from the slowest to the fastest.
    pub fn supported() -> impl Iterator<Item = Self> {
        ALL.into_iter()
            .filter(|arithmetic| super::fast::is_supported(*arithmetic))
    }

    /// What the process uses: the fastest that the processor can do, unless another was chosen.
    pub fn current() -> Self {
        let place = CURRENT.load(Ordering::Relaxed);
        if let Some(current) = ALL.get(usize::from(place)) {
            return *current;
        }
        let fastest = Self::supported().last().unwrap_or(Self::Portable);
        CURRENT.store(fastest.place(), Ordering::Relaxed);
        fastest
    }

    /// Chooses what the whole process uses from now on: for measurements, and where a processor slows down on wide
    /// instructions.
    ///
    /// # Errors
    /// The processor lacks the instructions; nothing changes.
    pub fn choose(self) -> Result<(), Unsupported> {
        if !super::fast::is_supported(self) {
            return Err(Unsupported(self));
        }
        CURRENT.store(self.place(), Ordering::Relaxed);
        Ok(())
    }

    fn place(self) -> u8 {
        match self {
            Self::Portable => 0,
            Self::Avx512 => 1,
            Self::Avx512Ifma => 2,
        }
    }
}
