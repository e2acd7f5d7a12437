//! Every decoder of `duet-journal`: the first byte chooses one.
#![no_main]

#[path = "../../journal/tests/support/decoders.rs"]
mod decoders;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    decoders::decode(data);
});
