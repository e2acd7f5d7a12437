//! Arithmetic modulo the group order, in blst's arithmetic.

use blst::{blst_fr, blst_fr_from_uint64, blst_fr_mul, blst_uint64_from_fr};

/// `a · b` modulo `q`.
pub(crate) fn product(a: &[u64; 4], b: &[u64; 4]) -> [u64; 4] {
    let (mut x, mut y) = (blst_fr::default(), blst_fr::default());
    let mut out = [0; 4];
    // SAFETY: blst reads and writes four limbs, the length of each array. All other pointers come from references to
    // initialised values, and the product is written to `x` while its factor is read from the copy `a`.
    unsafe {
        blst_fr_from_uint64(&mut x, a.as_ptr());
        blst_fr_from_uint64(&mut y, b.as_ptr());
        let a = x;
        blst_fr_mul(&mut x, &a, &y);
        blst_uint64_from_fr(out.as_mut_ptr(), &x);
    }
    out
}
