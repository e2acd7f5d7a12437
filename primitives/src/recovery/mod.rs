//! Recovery by proof: after a reset, a set of keys that are kept offline says which set signs. (RECOVER-1 to RECOVER-10)

mod accusation;
mod drill;
mod proof;
mod statement;
#[cfg(all(test, feature = "std"))]
mod tests;

pub use accusation::{RecoveryAccusation, Signed};
pub use drill::Drill;
pub use proof::{Recovery, RecoveryProof, RecoveryVote};
pub use statement::{RecoveryMessage, RecoveryStatement, RecoveryTerms};
