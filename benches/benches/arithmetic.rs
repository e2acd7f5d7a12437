//! The operations that every check of a vote or a proof needs, done with blst alone.

use duet_benches::{
    fixtures::Round,
    harness::{Harness, Pace},
};
use duet_curve::{Blst, Encodings, Groups, Hashing, Pairings};
use duet_primitives::suite;
use std::hint::black_box;

fn main() {
    let mut harness = Harness::from_environment();
    let key = duet_primitives::testing::secret(0).public();
    let (g1, g2) = (Blst::g1_generator(), Blst::g2_generator());
    let point = Blst::g1_from_bytes(&key.pk1().0).expect("a key");
    let message = Round::new(1).signed_bytes();
    let mut measure = |name: &str, work: &dyn Fn() -> bool| {
        harness.measure(&format!("curve::{name}/scheme=blst"), Pace::Fast, || work);
    };
    measure("decompress_g1", &|| {
        Blst::g1_from_stored_unchecked(&black_box(key).pk1().0).is_ok()
    });
    measure("decompress_g2", &|| {
        Blst::g2_from_stored_unchecked(&black_box(key).pk2().0).is_ok()
    });
    measure("decode_g1", &|| {
        Blst::g1_from_bytes(&black_box(key).pk1().0).is_ok()
    });
    measure("hash_to_g1", &|| {
        Blst::hash_to_g1(suite::HASH_TO_CURVE_DST, black_box(&message)) != g1
    });
    measure("two_pairings", &|| {
        Blst::equation_holds(black_box(&point), &[(&point, &Blst::g2_prepare(&g2))])
    });
}
