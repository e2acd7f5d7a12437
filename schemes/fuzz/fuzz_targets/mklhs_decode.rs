//! Every decoder of `duet-mklhs`: the first byte chooses one.
#![no_main]

#[path = "../../mklhs/tests/support/decoders.rs"]
mod decoders;

libfuzzer_sys::fuzz_target!(|data: &[u8]| decoders::decode(data));
