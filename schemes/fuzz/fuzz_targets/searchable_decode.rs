//! Every decoder of `duet-searchable`: the first byte chooses one.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    duet_searchable::testing::decode_anything(input);
});
