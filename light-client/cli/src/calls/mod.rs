//! Calls of the chain's runtime, executed here over entries that a node proves. (STATE-5 to STATE-8)

mod code_file;
mod executor;
mod fees;
mod function;
mod habits;
mod stopped;
mod version;

pub(crate) use executor::{Calls, Outcome, Prove};
pub(crate) use fees::{Class, DispatchInfo, FeeDetails};
pub(crate) use function::Function;
pub(crate) use stopped::{Stopped, Unanswered};
pub(crate) use version::version_json;
