//! Every decoder of the searchable encryption, on any bytes: the first selects which.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    duet_searchable::testing::decode_anything(input);
});
