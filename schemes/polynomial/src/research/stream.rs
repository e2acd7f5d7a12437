//! Deterministic randomness: SHAKE256 of a seed, read as numbers.

use sha3::{
    digest::{ExtendableOutput, Update, XofReader},
    Shake256, Shake256Reader,
};
use zeroize::Zeroize;

/// Bytes of a SHAKE256 block.
const BLOCK: usize = 136;

/// The output of SHAKE256 over some parts, as a stream of numbers.
pub(crate) struct Stream {
    reader: Shake256Reader,
    block: [u8; BLOCK],
    used: usize,
}

impl Stream {
    /// The `parts` are hashed consecutively. If their lengths vary, they must contain their lengths.
    pub(crate) fn new(parts: &[&[u8]]) -> Self {
        let mut hash = Shake256::default();
        for part in parts {
            hash.update(part);
        }
        Self {
            reader: hash.finalize_xof(),
            block: [0; BLOCK],
            used: BLOCK,
        }
    }

    /// The next 64 bits.
    pub(crate) fn word(&mut self) -> u64 {
        if self.used == BLOCK {
            self.reader.read(&mut self.block);
            self.used = 0;
        }
        let mut word = [0; 8];
        // The length of a block is a multiple of 8.
        word.copy_from_slice(&self.block[self.used..self.used + 8]);
        self.used += 8;
        u64::from_be_bytes(word)
    }

    /// A uniform number below `bound`, which must not be zero.
    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        let excess = (bound - 1).leading_zeros();
        loop {
            // For a bound of 1 the shift is by all 64 bits.
            let number = self.word().checked_shr(excess).unwrap_or(0);
            if number < bound {
                return number;
            }
        }
    }

    /// The next bytes.
    pub(crate) fn fill(mut self, bytes: &mut [u8]) {
        XofReader::read(&mut self.reader, bytes);
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        self.block.zeroize();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_below_a_bound_cover_it_evenly() {
        let mut stream = Stream::new(&[b"even"]);
        let mut seen = [0u32; 5];
        for _ in 0..50_000 {
            seen[usize::try_from(stream.below(5)).unwrap()] += 1;
        }
        assert!(
            seen.iter().all(|count| count.abs_diff(10_000) < 500),
            "{seen:?}"
        );
        assert_eq!(stream.below(1), 0);
    }

    #[test]
    fn the_same_parts_give_the_same_stream_and_others_do_not() {
        let first = |parts: &[&[u8]]| Stream::new(parts).word();
        assert_eq!(first(&[b"ab", b"c"]), first(&[b"a", b"bc"]));
        assert_ne!(first(&[b"ab"]), first(&[b"abc"]));
    }
}
