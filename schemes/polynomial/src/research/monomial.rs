//! Monomials and their order.

use std::cmp::Ordering;

/// A product of variables, as the sorted list of their indices: `x_0^2 x_3` is `[0, 0, 3]`.
///
/// The order is graded lexicographic: x, y, z, x², xy, xz, y², yz, z².
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Monomial(pub(super) Vec<u32>);

impl Monomial {
    /// The product of these variables, in any order.
    pub fn new(mut variables: Vec<u32>) -> Self {
        variables.sort_unstable();
        Self(variables)
    }

    /// The sorted indices of its variables, each repeated by its exponent.
    pub fn variables(&self) -> &[u32] {
        &self.0
    }

    /// The number of factors.
    pub fn degree(&self) -> usize {
        self.0.len()
    }

    /// The next monomial in `variables` variables.
    pub(super) fn next(&self, variables: u32) -> Self {
        let last = variables - 1;
        let mut next = self.0.clone();
        match next.iter().rposition(|v| *v < last) {
            Some(place) => {
                let raised = next[place] + 1;
                next[place..].fill(raised);
            }
            None => {
                next.fill(0);
                next.push(0);
            }
        }
        Self(next)
    }
}

impl Ord for Monomial {
    fn cmp(&self, other: &Self) -> Ordering {
        let graded = self.0.len().cmp(&other.0.len());
        graded.then_with(|| self.0.cmp(&other.0))
    }
}

impl PartialOrd for Monomial {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// A monomial and its coefficient.
pub(crate) type Term = (Monomial, i64);
