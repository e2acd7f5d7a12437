//! Why a call has no outcome.

use duet_light_calls::{CallError, CodeError, StateTooLarge};
use duet_light_rpc::{Failure, Fault, Kind};
use std::time::Duration;

/// Why a call has no outcome, though all that it needs is proven. No endpoint is to blame.
#[derive(Clone, Debug)]
pub(crate) enum Stopped {
    /// The state has no code.
    NoCode,
    /// The code cannot be executed.
    Code(CodeError),
    /// The call itself.
    Call(CallError),
    /// The call needs more of the state than it may.
    Large(StateTooLarge),
    /// One run takes longer than this.
    Slow(Duration),
    /// The executor broke down.
    Executor,
}

impl std::fmt::Display for Stopped {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::NoCode => f.write_str("STATE-5: the state has no entry :code"),
            Self::Code(error) => error.fmt(f),
            Self::Call(error) => error.fmt(f),
            Self::Large(error) => write!(f, "STATE-8: {error}"),
            Self::Slow(within) => write!(f, "STATE-8: no end after {} s", within.as_secs()),
            Self::Executor => f.write_str("the executor of this program broke down"),
        }
    }
}

impl Stopped {
    fn kind(&self) -> Kind {
        match self {
            // Other parameters, or another function, may do.
            Self::Call(
                CallError::Name { .. }
                | CallError::NoFunction { .. }
                | CallError::Start(_)
                | CallError::Panicked(_)
                | CallError::Trapped(_),
            ) => Kind::Usage,
            Self::Executor => Kind::Local,
            _ => Kind::NoWay,
        }
    }
}

impl From<Stopped> for Fault {
    fn from(stopped: Stopped) -> Self {
        Failure::new(stopped.kind(), stopped.to_string()).into()
    }
}

impl From<CallError> for Stopped {
    fn from(error: CallError) -> Self {
        Self::Call(error)
    }
}

/// The end of a call without an outcome.
#[derive(Debug)]
pub(crate) enum Unanswered<E> {
    /// An entry was not proven.
    Unproven(E),
    /// The call stopped.
    Stopped(Stopped),
}

impl<E> From<Stopped> for Unanswered<E> {
    fn from(stopped: Stopped) -> Self {
        Self::Stopped(stopped)
    }
}

impl<E> From<CallError> for Unanswered<E> {
    fn from(error: CallError) -> Self {
        Stopped::from(error).into()
    }
}

impl From<Unanswered<Fault>> for Fault {
    fn from(unanswered: Unanswered<Fault>) -> Self {
        match unanswered {
            Unanswered::Unproven(fault) => fault,
            Unanswered::Stopped(stopped) => stopped.into(),
        }
    }
}
