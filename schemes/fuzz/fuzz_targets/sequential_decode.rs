//! Every decoder of `duet-sequential`, each on the whole input.
#![no_main]

use duet_sequential::testing::decode_everything;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| decode_everything(bytes));
