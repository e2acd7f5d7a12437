//! Every scheme of the comparison accepts what all hops signed, and nothing else.

use duet_scheme_benches::{counted::sequential, sequential::SCHEMES};

#[test]
fn a_path_is_valid_until_a_message_is_exchanged() {
    for scheme in &SCHEMES {
        for hops in [1, 2, 5] {
            let mut path = (scheme.path)(hops);
            assert!(path.is_valid() && path.sign_next(), "{}", scheme.name);
            path.spoil();
            assert!(!path.is_valid(), "{}, {hops} hops", scheme.name);
        }
    }
}

#[test]
fn paths_have_the_lengths_of_the_paper_in_whole_bytes() {
    let counted = sequential();
    let bits = |bits: u32, hops: u64, scheme: &str| {
        let name = format!("sequential::length/bits={bits},n={hops},scheme={scheme}");
        let found = counted.iter().find(|counted| counted.name == name);
        found.unwrap().count * 8
    };
    for hops in 1..=32 {
        assert_eq!(bits(2048, hops, "rsa"), 2048 * hops);
        assert_eq!(bits(256, hops, "ecdsa"), 512 * hops);
        // The paper counts 2304 + 129 n; we have a whole byte for each eight of its single bits.
        let aggregate = 2304 + 128 * hops + hops.div_ceil(8) * 8;
        assert_eq!(bits(2048, hops, "duet"), aggregate);
        assert_eq!(bits(381, hops, "bgls"), 384);
    }
}
