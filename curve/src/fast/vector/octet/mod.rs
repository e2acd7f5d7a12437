//! Eight integers modulo `p` in the registers, for processors with AVX-512 IFMA.
//!
//! Eight limbs of 52 bits, one vector each. They hold 416 bits and the radix of the Montgomery form is `2^416`, so that
//! a value may be many times `p`: sums and differences are reduced when that costs least. The limbs of a value are
//! always below `2^52`. Values are named by their bounds:
//!
//! - *short*: below `1.2p`. Products and reduced values.
//! - *loose*: below `2^390`. Sums and differences of a few short ones. Every factor may be loose, and next to a short
//!   one a factor may be below `2^413`.
//!
//! `cargo xtask prove` shows that no operation leaves them.
//!
//! blst's form has the radix `2^384`. Shifting it by 32 bits gives this form, not reduced (`Octet::widened`).

mod arithmetic;
mod constants;
#[allow(unsafe_code)]
mod conversions;
#[allow(unsafe_code)]
mod elements;

pub(super) use constants::LANES;
pub(super) use conversions::{CUBE_ROOT, FOUR, ONE};
pub(super) use elements::{prefetch, Lanes, Octet, Single, Stored};
