//! Any bytes to every decoder of the sequential aggregate signatures.
#![no_main]

use duet_sequential::testing::decode_everything;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| decode_everything(bytes));
