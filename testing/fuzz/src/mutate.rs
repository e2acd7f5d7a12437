//! Random changes of inputs, for runs without coverage: the same seed gives the same inputs.

use duet_curve::testing as odd;

/// A generator of random numbers (SplitMix64); what it is used for needs no better one.
pub struct Random(u64);

/// No input grows beyond this.
pub const MAX_LEN: usize = 4096;

impl Random {
    /// The generator with this seed.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `limit`, which is not zero.
    pub fn below(&mut self, limit: usize) -> usize {
        usize::try_from(self.next() >> 32).expect("32 bits") % limit
    }

    fn byte(&mut self) -> u8 {
        self.next().to_le_bytes()[0]
    }
}

/// One of `corpus` with a few random changes, some of them parts of others.
pub fn mutated(corpus: &[Vec<u8>], random: &mut Random) -> Vec<u8> {
    let mut bytes = match corpus {
        [] => Vec::new(),
        _ => corpus[random.below(corpus.len())].clone(),
    };
    for _ in 0..=random.below(4) {
        change(&mut bytes, corpus, random);
    }
    bytes.truncate(MAX_LEN);
    bytes
}

fn change(bytes: &mut Vec<u8>, corpus: &[Vec<u8>], random: &mut Random) {
    let at = random.below(bytes.len() + 1);
    match random.below(9) {
        0 => bytes.truncate(at),
        1 => bytes.insert(at, random.byte()),
        2 => {
            let other = &corpus[random.below(corpus.len().max(1))];
            overwrite(bytes, at, &other[random.below(other.len() + 1)..]);
        }
        3 => {
            // The same place of another input: fields stay fields.
            let other = &corpus[random.below(corpus.len().max(1))];
            let len = 1 + random.below(112);
            let from = at.min(other.len());
            overwrite(bytes, from, &other[from..(from + len).min(other.len())]);
        }
        4 => overwrite(bytes, at, &odd::G1[random.below(odd::G1.len())].bytes),
        5 => overwrite(bytes, at, &odd::G2[random.below(odd::G2.len())].bytes),
        6 => overwrite(
            bytes,
            at,
            &odd::SCALARS[random.below(odd::SCALARS.len())].bytes,
        ),
        7 => {
            if let Some(byte) = bytes.get_mut(at) {
                *byte = [0, 1, 0x7f, 0x80, 0xff, random.byte()][random.below(6)];
            }
        }
        _ => {
            if let Some(byte) = bytes.get_mut(at) {
                *byte ^= 1 << random.below(8);
            }
        }
    }
}

/// Writes over what stands there, as far as that goes.
fn overwrite(bytes: &mut [u8], at: usize, with: &[u8]) {
    for (byte, new) in bytes.iter_mut().skip(at).zip(with) {
        *byte = *new;
    }
}
