//! Additions and doublings of many points at once, with one inversion for all of them: eight points in a vector, which
//! stay in its form from one step to the next.
//!
//! The formulas are those of `batch`. They have no case for zero, equal or opposite points. Callers avoid zero. Equal
//! or opposite points occur with points of small order or chosen scalars; then `Steps::run` marks the owner as out, and
//! its results are meaningless.

mod points;
mod space;
mod steps;

pub(super) use points::{Addends, Copies, Point};
pub(super) use space::{space, Space};
pub(super) use steps::{SingleStep, Steps};
