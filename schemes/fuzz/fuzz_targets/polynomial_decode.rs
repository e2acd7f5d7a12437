//! Every decoder of `duet-polynomial`: the first byte chooses one.
#![no_main]

#[path = "../../polynomial/tests/support/decode.rs"]
mod decode;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    decode::every_decoder(data);
});
