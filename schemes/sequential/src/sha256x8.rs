//! Eight single-block SHA-256 hashes at a time, with 8-wide SIMD.
//!
//! `G` hashes eight or twelve blocks that differ only in a counter. With scalar code this costs a tenth of the RSA
//! operation beside it. Here each instruction works on eight hashes. The code is plain arithmetic on arrays, which the
//! compiler vectorises for AVX2. Without AVX2, OpenSSL computes the hashes.
//!
//! AVX-512 would hash faster, but it lowers the clock frequency: measured, the RSA operation after it takes a tenth
//! longer.

use crate::suite::HASH_LEN;

/// Bytes of a block.
const BLOCK_LEN: usize = 64;
/// Bytes of the input length at the end of the last block.
const LENGTH_LEN: usize = 8;
/// Bytes of the counter.
const COUNTER_LEN: usize = 4;

/// FIPS 180-4, 5.3.3.
const INITIAL: [u32; 8] = [
    0x6a09_e667,
    0xbb67_ae85,
    0x3c6e_f372,
    0xa54f_f53a,
    0x510e_527f,
    0x9b05_688c,
    0x1f83_d9ab,
    0x5be0_cd19,
];

/// FIPS 180-4, 4.2.2.
const ROUND: [u32; 64] = [
    0x428a_2f98,
    0x7137_4491,
    0xb5c0_fbcf,
    0xe9b5_dba5,
    0x3956_c25b,
    0x59f1_11f1,
    0x923f_82a4,
    0xab1c_5ed5,
    0xd807_aa98,
    0x1283_5b01,
    0x2431_85be,
    0x550c_7dc3,
    0x72be_5d74,
    0x80de_b1fe,
    0x9bdc_06a7,
    0xc19b_f174,
    0xe49b_69c1,
    0xefbe_4786,
    0x0fc1_9dc6,
    0x240c_a1cc,
    0x2de9_2c6f,
    0x4a74_84aa,
    0x5cb0_a9dc,
    0x76f9_88da,
    0x983e_5152,
    0xa831_c66d,
    0xb003_27c8,
    0xbf59_7fc7,
    0xc6e0_0bf3,
    0xd5a7_9147,
    0x06ca_6351,
    0x1429_2967,
    0x27b7_0a85,
    0x2e1b_2138,
    0x4d2c_6dfc,
    0x5338_0d13,
    0x650a_7354,
    0x766a_0abb,
    0x81c2_c92e,
    0x9272_2c85,
    0xa2bf_e8a1,
    0xa81a_664b,
    0xc24b_8b70,
    0xc76c_51a3,
    0xd192_e819,
    0xd699_0624,
    0xf40e_3585,
    0x106a_a070,
    0x19a4_c116,
    0x1e37_6c08,
    0x2748_774c,
    0x34b0_bcb5,
    0x391c_0cb3,
    0x4ed8_aa4a,
    0x5b9c_ca4f,
    0x682e_6ff3,
    0x748f_82ee,
    0x78a5_636f,
    0x84c8_7814,
    0x8cc7_0208,
    0x90be_fffa,
    0xa450_6ceb,
    0xbef9_a3f7,
    0xc671_78f2,
];

/// The number of hashes computed at a time.
const LANES: usize = 8;

const LANE_NUMBERS: Lanes = [0, 1, 2, 3, 4, 5, 6, 7];

/// One word of each hash.
type Lanes = [u32; LANES];

#[inline(always)]
fn each(word: impl Fn(usize) -> u32) -> Lanes {
    std::array::from_fn(word)
}

/// The padded block `head || counter`, for an input of fixed length that leaves room for the padding.
///
/// `HEAD` and the four counter bytes have at most 55 bytes.
pub(crate) struct CountedBlock {
    words: [u32; BLOCK_LEN / 4],
    /// The position of the counter, in bits.
    counter_at: usize,
}

impl CountedBlock {
    /// A block that starts with these two parts.
    pub(crate) fn new<const A: usize, const B: usize>(left: &[u8; A], right: &[u8; B]) -> Self {
        const { assert!(A + B + COUNTER_LEN < BLOCK_LEN - LENGTH_LEN) };
        let mut block = [0; BLOCK_LEN];
        block[..A].copy_from_slice(left);
        block[A..A + B].copy_from_slice(right);
        block[A + B + COUNTER_LEN] = 0x80;
        let bits = 8 * (A + B + COUNTER_LEN) as u64;
        block[BLOCK_LEN - LENGTH_LEN..].copy_from_slice(&bits.to_be_bytes());
        let (words, _) = block.as_chunks();
        Self {
            words: std::array::from_fn(|index| u32::from_be_bytes(words[index])),
            counter_at: 8 * (A + B),
        }
    }

    /// XORs the hashes with counters from 0 on into `output`. Returns `false` and does nothing if AVX2 is not
    /// available.
    pub(crate) fn xor_hashes(&self, output: &mut [u8]) -> bool {
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("avx2") {
            #[allow(unsafe_code, reason = "calls a function that needs AVX2")]
            // SAFETY: the check above found AVX2, the only feature that the function needs.
            unsafe {
                self.xor_hashes_avx2(output);
            }
            return true;
        }
        false
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    fn xor_hashes_avx2(&self, output: &mut [u8]) {
        for (counter, output) in (0..)
            .step_by(LANES)
            .zip(output.chunks_mut(LANES * HASH_LEN))
        {
            xor_words(output, &self.hashes(counter));
        }
    }

    /// Computes the hashes with this counter and the next seven. FIPS 180-4, 6.2.2.
    #[inline(always)]
    fn hashes(&self, counter: u32) -> [Lanes; 8] {
        let mut schedule = self.words.map(|word| [word; LANES]);
        let (index, shift) = (self.counter_at / 32, self.counter_at % 32);
        let counters = LANE_NUMBERS.map(|lane| counter + lane);
        schedule[index] = each(|lane| schedule[index][lane] | counters[lane] >> shift);
        if shift != 0 {
            schedule[index + 1] =
                each(|lane| schedule[index + 1][lane] | counters[lane] << (32 - shift));
        }
        let mut state = INITIAL.map(|word| [word; LANES]);
        let (first, rest) = ROUND.as_chunks::<16>().0.split_at(1);
        for constants in first {
            sixteen_rounds(&mut state, &schedule, constants);
        }
        for constants in rest {
            extend(&mut schedule);
            sixteen_rounds(&mut state, &schedule, constants);
        }
        std::array::from_fn(|word| each(|lane| state[word][lane].wrapping_add(INITIAL[word])))
    }
}

/// Replaces the sixteen words of the schedule by the next sixteen.
#[inline(always)]
fn extend(schedule: &mut [Lanes; 16]) {
    for now in 0..16 {
        let (early, late) = (schedule[(now + 1) % 16], schedule[(now + 14) % 16]);
        let middle = schedule[(now + 9) % 16];
        schedule[now] = each(|lane| {
            schedule[now][lane]
                .wrapping_add(small_sigma_0(early[lane]))
                .wrapping_add(middle[lane])
                .wrapping_add(small_sigma_1(late[lane]))
        });
    }
}

#[inline(always)]
fn sixteen_rounds(state: &mut [Lanes; 8], schedule: &[Lanes; 16], constants: &[u32; 16]) {
    let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = *state;
    for (word, constant) in schedule.iter().zip(constants) {
        let t1: Lanes = each(|lane| {
            h[lane]
                .wrapping_add(big_sigma_1(e[lane]))
                .wrapping_add((e[lane] & f[lane]) ^ (!e[lane] & g[lane]))
                .wrapping_add(*constant)
                .wrapping_add(word[lane])
        });
        let t2: Lanes = each(|lane| {
            let majority = (a[lane] & b[lane]) | (c[lane] & (a[lane] | b[lane]));
            big_sigma_0(a[lane]).wrapping_add(majority)
        });
        (h, g, f) = (g, f, e);
        e = each(|lane| d[lane].wrapping_add(t1[lane]));
        (d, c, b) = (c, b, a);
        a = each(|lane| t1[lane].wrapping_add(t2[lane]));
    }
    *state = [a, b, c, d, e, f, g, h];
}

#[inline(always)]
fn big_sigma_0(x: u32) -> u32 {
    x.rotate_right(2) ^ x.rotate_right(13) ^ x.rotate_right(22)
}

#[inline(always)]
fn big_sigma_1(x: u32) -> u32 {
    x.rotate_right(6) ^ x.rotate_right(11) ^ x.rotate_right(25)
}

#[inline(always)]
fn small_sigma_0(x: u32) -> u32 {
    x.rotate_right(7) ^ x.rotate_right(18) ^ x >> 3
}

#[inline(always)]
fn small_sigma_1(x: u32) -> u32 {
    x.rotate_right(17) ^ x.rotate_right(19) ^ x >> 10
}

/// XORs the hashes, concatenated, into `output`.
fn xor_words(output: &mut [u8], hashes: &[Lanes; 8]) {
    for (lane, hash) in output.chunks_mut(HASH_LEN).enumerate() {
        let (words, tail) = hash.as_chunks_mut::<4>();
        for (bytes, word) in words.iter_mut().zip(hashes) {
            *bytes = (u32::from_be_bytes(*bytes) ^ word[lane]).to_be_bytes();
        }
        let word = hashes
            .get(words.len())
            .map_or([0; 4], |word| word[lane].to_be_bytes());
        for (byte, mask) in tail.iter_mut().zip(word) {
            *byte ^= mask;
        }
    }
}
