//! Calldata, read as the compiler's decoder reads it, and the proof in it, as Rust knows it. Nothing here is from the
//! library that makes calldata.

use ark_bls12_381::{Fq, Fq2, G1Affine, G2Affine};
use ark_ec::AffineRepr;
use ark_ff::{BigInt, PrimeField, Zero};
use codec::{DecodeAll, Encode};
use duet_calldata::abi;
use duet_curve::testing::compress;
use duet_primitives::{Commitment, StatelessProof};

pub(crate) const SUBMIT: &str = "submit(bytes)";
pub(crate) const MANY: &str = "submitMany(bytes[])";
pub(crate) const REPORT: &str = "reportMisbehaviour(bytes,bytes)";

/// A call with its arguments.
pub(crate) enum Call<'a> {
    Submit(&'a [u8]),
    Many(Vec<&'a [u8]>),
    Report([&'a [u8]; 2]),
}

impl<'a> Call<'a> {
    /// The call in this calldata; none where the decoder refuses it, or `submit` its form.
    pub(crate) fn read(calldata: &'a [u8]) -> Option<Self> {
        let data = Calldata(calldata);
        let selector = calldata.first_chunk()?;
        if *selector == abi::selector(SUBMIT) {
            // One encoding only.
            let bytes = data.bytes(data.argument(0)?)?;
            let is_plain = data.number(4) == Some(32)
                && calldata.len() == 68 + bytes.len().next_multiple_of(32);
            return is_plain.then_some(Self::Submit(bytes));
        }
        if *selector == abi::selector(MANY) {
            return data.list(data.argument(0)?).map(Self::Many);
        }
        if *selector == abi::selector(REPORT) {
            let [first, second] = [data.argument(0)?, data.argument(1)?];
            return Some(Self::Report([data.bytes(first)?, data.bytes(second)?]));
        }
        None
    }
}

struct Calldata<'a>(&'a [u8]);

impl<'a> Calldata<'a> {
    /// The word at a place; zeros follow the end.
    fn word(&self, at: usize) -> [u8; 32] {
        let mut word = [0; 32];
        let rest = self.0.get(at..).unwrap_or_default();
        word.iter_mut().zip(rest).for_each(|(to, from)| *to = *from);
        word
    }

    /// The number there; none from 2⁶⁴ on.
    fn number(&self, at: usize) -> Option<usize> {
        let word = self.word(at);
        let (high, low) = word.split_last_chunk::<8>()?;
        let is_small = high.iter().all(|byte| *byte == 0);
        let number = usize::try_from(u64::from_be_bytes(*low)).ok()?;
        is_small.then_some(number)
    }

    /// Where a dynamic argument is.
    fn argument(&self, place: usize) -> Option<usize> {
        let heads = 4 + 32 * (place + 1);
        let at = self.number(heads - 32)?.checked_add(4)?;
        (heads <= self.0.len() && at.checked_add(31)? < self.0.len()).then_some(at)
    }

    fn bytes(&self, at: usize) -> Option<&'a [u8]> {
        let from = at + 32;
        self.0.get(from..from.checked_add(self.number(at)?)?)
    }

    fn list(&self, at: usize) -> Option<Vec<&'a [u8]>> {
        let (count, base) = (self.number(at)?, at + 32);
        let end = base.checked_add(count.checked_mul(32)?)?;
        self.0.get(base..end)?;
        (0..count).map(|i| self.item(base, base + 32 * i)).collect()
    }

    /// An item of a list. Its place counts from the first word behind the length, and may be negative.
    fn item(&self, base: usize, at: usize) -> Option<&'a [u8]> {
        let word = self.word(at);
        if word[0] < 0x80 {
            let place = base.checked_add(self.number(at)?)?;
            return (place + 31 < self.0.len()).then(|| self.bytes(place))?;
        }
        // Before the calldata there is nothing, which is empty.
        let back = u64::from_be_bytes(*word.last_chunk()?).wrapping_neg();
        let is_near = word[..24].iter().all(|byte| *byte == 0xff) && back != 0;
        let place = usize::try_from(back)
            .ok()
            .and_then(|back| base.checked_sub(back));
        place
            .filter(|_| is_near)
            .map_or(Some(&[]), |place| self.bytes(place))
    }
}

/// What a proof says.
pub(crate) struct Said<'a> {
    pub(crate) commitment: Commitment,
    /// Its set: 92 bytes of the commitment, and y of the total.
    pub(crate) set: &'a [u8; 140],
    /// 92 bytes of the successor and y of its total. Where none is named, what is there is no y.
    pub(crate) successor: Vec<u8>,
    bytes: &'a [u8],
}

impl<'a> Said<'a> {
    /// None where the proof is too short.
    pub(crate) fn read(bytes: &'a [u8]) -> Option<Self> {
        let y = bytes.get(596..)?.iter().copied().chain([0; 48]).take(48);
        Some(Self {
            commitment: Commitment::decode_all(&mut bytes.get(..168)?).ok()?,
            set: bytes.get(168..)?.first_chunk()?,
            successor: bytes[76..168].iter().copied().chain(y).collect(),
            bytes,
        })
    }

    /// SET-3: y of the successor's total is the one that its sign bit names. Its subgroup counts when it signs.
    pub(crate) fn is_successor_a_point(&self) -> bool {
        let (x, y) = (&self.successor[44..92], &self.successor[92..]);
        let mut plain = x.to_vec();
        plain[0] &= 0x1f;
        plain.extend(y);
        g1(&plain).is_some_and(|point| !point.is_zero() && compress::<_, 48>(&point) == *x)
    }

    /// The proof; none where no encoding for Rust has these points, lengths or bits.
    pub(crate) fn proof(&self) -> Option<StatelessProof> {
        let len = u32::from_le_bytes(*self.set[8..].first_chunk()?);
        let mut rest = &self.bytes[596..];
        let mut take = |count: usize| {
            let (head, tail) = rest.split_at_checked(count)?;
            rest = tail;
            Some(head)
        };
        if self.commitment.is_handoff() {
            take(48)?;
        }
        let len = usize::try_from(len).ok()?;
        let signers = take(len.div_ceil(8))?;
        let signed = |i: &usize| signers[i / 8] >> (i % 8) & 1 == 1;
        let absent = len - (0..len).filter(signed).count();
        let keys = take(96 * absent)?.chunks_exact(96).map(g1);
        let keys = keys.map(|key| Some(compress::<_, 48>(&key?)));
        let keys: Vec<[u8; 48]> = keys.collect::<Option<_>>()?;
        let (hashes, odd) = rest.as_chunks::<32>();
        let signature: [u8; 48] = compress(&g1(&self.bytes[308..404])?);
        let apk2: [u8; 96] = compress(&g2(&self.bytes[404..596])?);
        let encoded = (&self.commitment, signers, signature, apk2, keys, hashes).encode();
        let proof = StatelessProof::decode_all(&mut &encoded[..]).ok();
        proof.filter(|_| odd.is_empty())
    }
}

fn coordinate(bytes: &[u8]) -> Option<Fq> {
    let mut limbs = [0; 6];
    for (limb, bytes) in limbs.iter_mut().rev().zip(bytes.as_chunks::<8>().0) {
        *limb = u64::from_be_bytes(*bytes);
    }
    Fq::from_bigint(BigInt(limbs))
}

/// The point of these 96 bytes. Infinity is zeros.
pub(crate) fn g1(bytes: &[u8]) -> Option<G1Affine> {
    let (x, y) = (coordinate(&bytes[..48])?, coordinate(&bytes[48..])?);
    if x.is_zero() && y.is_zero() {
        return Some(G1Affine::identity());
    }
    Some(G1Affine::new_unchecked(x, y)).filter(G1Affine::is_on_curve)
}

/// The point of these 192 bytes, c0 before c1.
pub(crate) fn g2(bytes: &[u8]) -> Option<G2Affine> {
    let at = |i: usize| coordinate(&bytes[48 * i..48 * (i + 1)]);
    let (x, y) = (Fq2::new(at(0)?, at(1)?), Fq2::new(at(2)?, at(3)?));
    if x.is_zero() && y.is_zero() {
        return Some(G2Affine::identity());
    }
    Some(G2Affine::new_unchecked(x, y)).filter(G2Affine::is_on_curve)
}
