//! Encodings: compressed points, one after another, in the order of the papers' tuples.

use super::{Combined, Part, Signature};
use crate::group::Points;
use blst::{blst_p1, blst_p1_affine, blst_p2, blst_p2_affine};

impl Signature {
    /// `σ ‖ Z ‖ A ‖ C ‖ R ‖ S`: 384 bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        [
            blst_p1::compress(&self.sigma),
            blst_p2::compress(&self.z),
            blst_p1::compress(&self.a),
            blst_p1::compress(&self.c),
            blst_p1::compress(&self.r),
            blst_p2::compress(&self.s),
        ]
        .concat()
    }

    /// Reads the encoding: `None` unless it has that length and all points are of their group, and none is zero.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let mut points = Reader(bytes);
        let signature = Self {
            sigma: points.g1()?,
            z: points.g2()?,
            a: points.g1()?,
            c: points.g1()?,
            r: points.g1()?,
            s: points.g2()?,
        };
        points.0.is_empty().then_some(signature)
    }
}

impl Combined {
    /// `R ‖ S`, then `σ ‖ Z ‖ A ‖ C` of each signer: 144 + 240·t bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = [blst_p1::compress(&self.r), blst_p2::compress(&self.s)].concat();
        for part in &self.parts {
            bytes.extend(blst_p1::compress(&part.sigma));
            bytes.extend(blst_p2::compress(&part.z));
            bytes.extend(blst_p1::compress(&part.a));
            bytes.extend(blst_p1::compress(&part.c));
        }
        bytes
    }

    /// Reads the encoding, as [`Signature::from_bytes`] does.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let mut points = Reader(bytes);
        let (r, s) = (points.g1()?, points.g2()?);
        let mut parts = Vec::new();
        while !points.0.is_empty() {
            parts.push(Part {
                sigma: points.g1()?,
                z: points.g2()?,
                a: points.g1()?,
                c: points.g1()?,
            });
        }
        Some(Self { parts, r, s })
    }
}

struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
    fn take<P: Points>(&mut self) -> Option<P::Affine> {
        let (bytes, rest) = self.0.split_at_checked(P::LEN)?;
        self.0 = rest;
        P::uncompress(bytes)
    }

    fn g1(&mut self) -> Option<blst_p1_affine> {
        self.take::<blst_p1>()
    }

    fn g2(&mut self) -> Option<blst_p2_affine> {
        self.take::<blst_p2>()
    }
}
