//! Arithmetic on sixteen integers modulo `p` at once, for processors with AVX-512.
//!
//! [`elements`] defines their form, [`integer`] and [`double`] are two ways to multiply them, [`kernel`] chooses one at
//! run time, and [`additions`] and [`decompression`] use them. Results do not depend on the choice.
//!
//! Votes have their own path with IFMA: [`octet`] is eight integers in the registers, [`lockstep`] adds
//! points that stay in its form, and [`commitments`] computes whole batches of votes.

#[allow(unsafe_code)]
mod additions;
#[allow(unsafe_code)]
mod commitments;
#[allow(unsafe_code)]
mod decompression;
mod double;
#[allow(unsafe_code)]
mod elements;
#[allow(unsafe_code)]
mod integer;
#[allow(unsafe_code)]
mod kernel;
mod lockstep;
mod octet;
#[cfg(test)]
#[allow(unsafe_code)]
mod octet_tests;
#[cfg(test)]
#[allow(unsafe_code)]
mod tests;

pub(super) use additions::add_all;
pub(super) use commitments::{compute, Found, Work, BATCH};
pub(super) use decompression::{decompress_all, decompress_in_octets};
pub(super) use elements::WIDTH;
pub(super) use kernel::{Kernel, Lockstep};
