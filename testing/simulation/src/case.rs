//! One line of a matrix.

/// One line of the matrix: the rounds of all schemes on the same networks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Case {
    /// Size of the set.
    pub validators: u32,
    /// Share of it that sends garbage, in percent.
    pub garbage: u32,
}
