//! Which multiplication the processor gets.

use super::{double, elements::Fp16, integer};
use crate::arithmetic::Arithmetic;

/// A multiplication. The processor must have the instructions that it is made of.
pub(super) type Mul = unsafe fn(&mut Fp16, &Fp16, &Fp16);

/// A way to multiply, on a processor that has AVX-512 (F and DQ) and what `mul` needs besides.
///
/// [`Kernel::of`] makes one only on such a processor; every `unsafe` call of vector code relies on that.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Kernel {
    pub(super) mul: Mul,
    /// Fewer additions at once are faster without vectors.
    pub(super) least: usize,
}

impl Kernel {
    /// The kernel of this arithmetic, if the processor can; none for portable arithmetic.
    pub(crate) fn of(arithmetic: Arithmetic) -> Option<Self> {
        let kernel = match arithmetic {
            Arithmetic::Portable => return None,
            Arithmetic::Avx512 => Self {
                mul: double::mul,
                least: 96,
            },
            Arithmetic::Avx512Ifma => Self {
                mul: integer::mul,
                least: 24,
            },
        };
        arithmetic.is_supported().then_some(kernel)
    }

    /// Whether this many additions at once are faster with vectors.
    pub(crate) fn is_worth(self, additions: usize) -> bool {
        additions >= self.least
    }

    /// The product of a short and of a loose element: short.
    pub(super) fn mul(self, out: &mut Fp16, short: &Fp16, loose: &Fp16) {
        // SAFETY: `Kernel::of` made this kernel, so that the processor has the instructions.
        unsafe { (self.mul)(out, short, loose) }
    }
}

/// That the processor has AVX-512 IFMA.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lockstep(());

impl Lockstep {
    /// If this arithmetic is that of AVX-512 IFMA and the processor can.
    pub(crate) fn of(arithmetic: Arithmetic) -> Option<Self> {
        (arithmetic == Arithmetic::Avx512Ifma && arithmetic.is_supported()).then_some(Self(()))
    }
}
