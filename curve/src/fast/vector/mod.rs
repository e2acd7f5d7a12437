//! Arithmetic on sixteen integers modulo `p` at once, for processors with AVX-512.
//!
//! [`elements`] says how they are kept, [`integer`] and [`double`] are two ways to multiply them, [`kernel`] chooses one
//! at run time, and [`additions`] and [`decompression`] are what they are for. Results do not depend on the choice.

#[allow(unsafe_code)]
mod additions;
#[allow(unsafe_code)]
mod decompression;
mod double;
#[allow(unsafe_code)]
mod elements;
#[allow(unsafe_code)]
mod integer;
#[allow(unsafe_code)]
mod kernel;
#[cfg(test)]
#[allow(unsafe_code)]
mod tests;

pub(super) use additions::add_all;
pub(super) use decompression::decompress_all;
pub(super) use elements::WIDTH;
pub(super) use kernel::Kernel;
