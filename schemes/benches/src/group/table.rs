//! Multiplication of fixed elements.

use super::{Group, Residue};

/// The bits of a digit of the factor.
const WINDOW: usize = 6;
/// The digits of a residue of 255 bits.
const WINDOWS: usize = 255_usize.div_ceil(WINDOW);
/// The digits other than zero.
const DIGITS: usize = (1 << WINDOW) - 1;

/// All multiples of an element by digits at every place: a product is a sum of 43 entries. Not in constant time.
pub struct Table<G: Group> {
    entries: Vec<G::Affine>,
}

impl<G: Group> Table<G> {
    /// The table of an element.
    pub fn new(base: G) -> Self {
        let mut entries = Vec::with_capacity(WINDOWS * DIGITS);
        let mut unit = base;
        for _ in 0..WINDOWS {
            let mut multiple = unit;
            for _ in 0..DIGITS {
                entries.push(multiple);
                multiple = multiple.plus(&unit);
            }
            unit = multiple;
        }
        Self {
            entries: G::affines(&entries),
        }
    }

    /// The product.
    pub fn times(&self, factor: &Residue) -> G {
        let bytes = factor.to_scalar().b;
        let places = self.entries.chunks_exact(DIGITS).enumerate();
        places.fold(G::zero(), |sum, (place, multiples)| {
            match digit(&bytes, place * WINDOW).checked_sub(1) {
                Some(index) => sum.plus_affine(&multiples[index]),
                None => sum,
            }
        })
    }
}

/// The digit whose lowest bit has this index, of a number with its least significant byte first.
fn digit(bytes: &[u8; 32], bit: usize) -> usize {
    let low = bytes[bit / 8];
    let high = bytes.get(bit / 8 + 1).copied().unwrap_or(0);
    usize::from(u16::from_le_bytes([low, high]) >> (bit % 8)) & DIGITS
}
