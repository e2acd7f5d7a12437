//! The parameters of BLS12-381 that more than one module needs.

/// `|z|`, the parameter of the curve. `z` itself is negative.
pub(crate) const Z: u64 = 0xd201_0000_0001_0000;

/// The modulus of the base field, big-endian.
pub(crate) const BASE_FIELD_MODULUS: [u8; 48] = [
    0x1a, 0x01, 0x11, 0xea, 0x39, 0x7f, 0xe6, 0x9a, 0x4b, 0x1b, 0xa7, 0xb6, 0x43, 0x4b, 0xac, 0xd7,
    0x64, 0x77, 0x4b, 0x84, 0xf3, 0x85, 0x12, 0xbf, 0x67, 0x30, 0xd2, 0xa0, 0xf6, 0xb0, 0xf6, 0x24,
    0x1e, 0xab, 0xff, 0xfe, 0xb1, 0x53, 0xff, 0xff, 0xb9, 0xfe, 0xff, 0xff, 0xff, 0xff, 0xaa, 0xab,
];

/// The same, the lowest word first.
#[cfg(feature = "std")]
#[allow(
    clippy::indexing_slicing,
    reason = "computed at compile time: an index outside does not compile"
)]
pub(crate) const MODULUS: [u64; 6] = {
    let mut words = [0; 6];
    let mut at = 0;
    while at < BASE_FIELD_MODULUS.len() {
        let word = &mut words[5 - at / 8];
        *word = *word << 8 | BASE_FIELD_MODULUS[at] as u64;
        at += 1;
    }
    words
};

/// `R² mod p`, with `R = 2^384` that of the Montgomery form.
#[cfg(feature = "std")]
pub(crate) const SQUARED_RADIX: [u64; 6] = [
    0xf4df_1f34_1c34_1746,
    0x0a76_e6a6_09d1_04f1,
    0x8de5_476c_4c95_b6d5,
    0x67eb_88a9_939d_83c0,
    0x9a79_3e85_b519_952d,
    0x1198_8fe5_92ca_e3aa,
];
