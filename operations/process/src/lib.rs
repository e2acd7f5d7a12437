//! How our programs read their command lines, write, stop at signals, and end.
//!
//! - [`arguments`], [`try_arguments`], [`with_names`]: the command line, or help;
//! - `ws_url`, `http_url`, `seconds`, with the feature `addresses`: values in it;
//! - [`print()`], [`tell`]: standard output; [`warn`]: standard error;
//! - `runtime`, with the feature `signals`: what waits for signals;
//! - `Signals`, with the same: SIGINT, SIGTERM and SIGHUP end a program in order;
//! - `relayed` and `hangup_terminates`, with the feature `libraries`: the same where libraries write and take signals;
//! - [`exit`]: the exit status.
//!
//! A result that is not written is no success. The first failed write to standard output ends a program with the status
//! [`UNWRITTEN`] and a message. A closed pipe ends it quietly, with the status [`CLOSED`]: its reader has read enough.
//! The signal SIGPIPE itself stays ignored, because it would also end a server whose client is gone.
//!
//! ```
//! use std::process::ExitCode;
//!
//! fn main() -> ExitCode {
//!     let greeted = duet_process::print("hello\n");
//!     duet_process::exit(greeted, |lost| {
//!         duet_process::warn(lost);
//!         1
//!     })
//! }
//! ```

#![forbid(unsafe_code)]
#![cfg_attr(
    not(test),
    warn(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::indexing_slicing,
        clippy::arithmetic_side_effects
    )
)]

#[cfg(feature = "addresses")]
mod address;
#[cfg(feature = "libraries")]
mod libraries;
mod output;
#[cfg(feature = "signals")]
mod signals;

#[cfg(feature = "addresses")]
pub use address::{http_url, seconds, ws_url};
#[cfg(feature = "libraries")]
pub use libraries::{hangup_terminates, relayed};
pub use output::{
    arguments, exit, print, refuse, tell, try_arguments, warn, with_names, Lost, CLOSED,
    EXIT_STATUS, UNWRITTEN,
};
#[cfg(feature = "signals")]
pub use signals::{runtime, Signals};
