//! Everything that `duet-armour` reads.
#![no_main]

#[path = "../../armour/tests/support/decoders.rs"]
mod decoders;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    decoders::decode(data);
});
