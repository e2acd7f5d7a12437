//! Additions and doublings of many points at once, with one inversion for all of them: eight points in a vector, which
//! stay in its form from one step to the next.
//!
//! The formulas are those of `batch`. They have no case for zero, equal points or opposite ones: who adds keeps away from
//! zero, and where two points are equal or opposite, which is so where a point is of small order or a scalar was chosen
//! for it, `Steps::run` says so of the owner, whose results mean nothing from then on.

mod points;
mod space;
mod steps;

pub(super) use points::{Addends, Copies, Point};
pub(super) use space::{space, Space};
pub(super) use steps::{SingleStep, Steps};
