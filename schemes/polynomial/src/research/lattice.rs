//! Exact lattice reduction: the LLL algorithm with all Gram-Schmidt coefficients as integers over the determinants of
//! the leading Gram matrices (de Weger's form), and Babai's nearest-plane algorithm.

use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{One, Signed, Zero};

/// A reduced basis.
pub(crate) struct Reduced {
    rows: Vec<Vec<BigInt>>,
    /// `determinants[i]` is the determinant of the Gram matrix of the first i rows.
    determinants: Vec<BigInt>,
    /// `shares[i][j] / determinants[j + 1]` is the Gram-Schmidt coefficient of row i on orthogonalised row j.
    shares: Vec<Vec<BigInt>>,
}

impl Reduced {
    /// Reduces linearly independent rows. `progress` is called with the number of reduced rows whenever it changes.
    ///
    /// Cost: polynomial; about 40 rows of 1000 bits take seconds.
    pub(crate) fn new(rows: Vec<Vec<BigInt>>, progress: &dyn Fn(usize)) -> Self {
        let mut reduced = Self {
            rows: Vec::with_capacity(rows.len()),
            determinants: vec![BigInt::one()],
            shares: Vec::with_capacity(rows.len()),
        };
        for row in rows {
            reduced.push(row);
            reduced.restore(progress);
        }
        reduced
    }

    /// The vector minus the lattice point that the nearest-plane algorithm finds.
    pub(crate) fn distance_to_near_point(&self, mut target: Vec<BigInt>) -> Vec<BigInt> {
        let (mut shares, _) = self.orthogonalise(&target);
        for j in (0..self.rows.len()).rev() {
            self.subtract(j, &mut target, &mut shares);
        }
        target
    }

    fn push(&mut self, row: Vec<BigInt>) {
        let (shares, determinant) = self.orthogonalise(&row);
        self.rows.push(row);
        self.shares.push(shares);
        self.determinants.push(determinant);
    }

    /// The Gram-Schmidt coefficients of a vector, and the determinant with the vector as an additional row.
    fn orthogonalise(&self, vector: &[BigInt]) -> (Vec<BigInt>, BigInt) {
        let mut shares: Vec<BigInt> = Vec::with_capacity(self.rows.len());
        let known = self.rows.iter().zip(&self.shares);
        for (row, of_row) in known {
            let share = self.remove_known(inner(vector, row), &shares, of_row);
            shares.push(share);
        }
        let determinant = self.remove_known(inner(vector, vector), &shares, &shares);
        (shares, determinant)
    }

    /// Removes from an inner product the part along the rows on which both vectors have coefficients.
    fn remove_known(&self, product: BigInt, u: &[BigInt], v: &[BigInt]) -> BigInt {
        let pairs = u.iter().zip(v).zip(self.determinants.windows(2));
        pairs.fold(product, |left, ((u, v), determinants)| {
            (left * &determinants[1] - u * v) / &determinants[0]
        })
    }

    /// Subtracts from a vector with these coefficients the multiple of row j that minimises the coefficient on row j.
    fn subtract(&self, j: usize, vector: &mut [BigInt], shares: &mut [BigInt]) {
        let determinant = &self.determinants[j + 1];
        let multiple = round(&shares[j], determinant);
        if multiple.is_zero() {
            return;
        }
        for (slot, coefficient) in vector.iter_mut().zip(&self.rows[j]) {
            *slot -= &multiple * coefficient;
        }
        for (slot, share) in shares.iter_mut().zip(&self.shares[j]) {
            *slot -= &multiple * share;
        }
        shares[j] -= multiple * determinant;
    }

    /// Restores the reduction after a row was appended.
    fn restore(&mut self, progress: &dyn Fn(usize)) {
        let mut k = self.rows.len() - 1;
        while k < self.rows.len() {
            if k == 0 {
                k = 1;
                continue;
            }
            self.size_reduce(k, k - 1);
            if self.is_out_of_order(k) {
                self.swap(k);
                k -= 1;
            } else {
                for j in (0..k - 1).rev() {
                    self.size_reduce(k, j);
                }
                k += 1;
            }
            progress(k);
        }
    }

    fn size_reduce(&mut self, k: usize, j: usize) {
        let mut row = std::mem::take(&mut self.rows[k]);
        let mut shares = std::mem::take(&mut self.shares[k]);
        self.subtract(j, &mut row, &mut shares);
        self.rows[k] = row;
        self.shares[k] = shares;
    }

    /// The negation of Lovász's condition with the factor 3/4.
    fn is_out_of_order(&self, k: usize) -> bool {
        let d = &self.determinants;
        let share = &self.shares[k][k - 1];
        (&d[k + 1] * &d[k - 1] + share * share) * 4 < &d[k] * &d[k] * 3
    }

    /// Swaps rows k - 1 and k, and updates all coefficients.
    fn swap(&mut self, k: usize) {
        self.rows.swap(k - 1, k);
        let (upper, lower) = self.shares.split_at_mut(k);
        if let (Some(before), Some(row)) = (upper.last_mut(), lower.first_mut()) {
            // Both rows have k - 1 coefficients on the rows above. The last one of row k is the one between the two
            // rows.
            for (a, b) in before.iter_mut().zip(row) {
                std::mem::swap(a, b);
            }
        }
        let share = self.shares[k][k - 1].clone();
        let d = &self.determinants;
        let between = (&d[k - 1] * &d[k + 1] + &share * &share) / &d[k];
        for row in self.shares.iter_mut().skip(k + 1) {
            let below = row[k].clone();
            row[k] = (&d[k + 1] * &row[k - 1] - &share * &below) / &d[k];
            row[k - 1] = (&between * &below + &share * &row[k]) / &d[k + 1];
        }
        self.determinants[k] = between;
    }
}

fn inner(u: &[BigInt], v: &[BigInt]) -> BigInt {
    u.iter().zip(v).map(|(x, y)| x * y).sum()
}

/// The integer nearest to a fraction with a positive denominator.
fn round(numerator: &BigInt, denominator: &BigInt) -> BigInt {
    debug_assert!(denominator.is_positive());
    // Most fractions are below one half, which avoids the division.
    if (numerator.magnitude() << 1u8) <= *denominator.magnitude() {
        return BigInt::zero();
    }
    let (twice, double) = (numerator << 1u8, denominator << 1u8);
    (twice + denominator).div_floor(&double)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{Rng, SeedableRng};

    fn random(n: usize, seed: u64) -> Vec<Vec<BigInt>> {
        let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(seed);
        let mut row = || {
            (0..n)
                .map(|_| BigInt::from(rng.gen_range(-1000i64..1000)))
                .collect()
        };
        (0..n).map(|_| row()).collect()
    }

    #[test]
    fn reduced_rows_satisfy_both_conditions_and_keep_the_volume() {
        let rows = random(8, 1);
        let volume = rows
            .iter()
            .fold(Reduced::new(Vec::new(), &|_| ()), |mut known, row| {
                known.push(row.clone());
                known
            });
        let reduced = Reduced::new(rows, &|_| ());
        assert_eq!(reduced.determinants[8], volume.determinants[8]);
        for (k, shares) in reduced.shares.iter().enumerate() {
            let small = |(share, d): (&BigInt, &BigInt)| (share.abs() << 1u8) <= *d;
            assert!(shares.iter().zip(&reduced.determinants[1..]).all(small));
            assert!(k == 0 || !reduced.is_out_of_order(k));
        }
        // The updated coefficients agree with a fresh orthogonalisation of the final rows.
        let mut fresh = Reduced::new(Vec::new(), &|_| ());
        for row in &reduced.rows {
            fresh.push(row.clone());
        }
        assert_eq!(fresh.shares, reduced.shares);
        assert_eq!(fresh.determinants, reduced.determinants);
    }

    #[test]
    fn a_point_near_the_lattice_is_brought_near_zero() {
        let reduced = Reduced::new(random(6, 2), &|_| ());
        let error: Vec<_> = [1, -2, 0, 3, -1, 2].map(BigInt::from).to_vec();
        let mut target = error.clone();
        for (multiple, row) in (100..).zip(&reduced.rows) {
            for (slot, coefficient) in target.iter_mut().zip(row) {
                *slot += coefficient * multiple;
            }
        }
        assert_eq!(reduced.distance_to_near_point(target), error);
    }
}
