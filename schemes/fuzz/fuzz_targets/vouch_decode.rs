//! Everything that `duet-vouch` reads: records, statements, lists and keys in PEM.
#![no_main]

#[path = "../../vouch/tests/support/decoders.rs"]
mod decoders;

libfuzzer_sys::fuzz_target!(|data: &[u8]| decoders::decode(data));
