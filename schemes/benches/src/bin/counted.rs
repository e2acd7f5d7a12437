//! Prints what is counted and not timed, one count in each line, as JSON.

use duet_scheme_benches::counted::{all, Counted};

fn main() {
    for Counted { name, unit, count } in all() {
        // Names have no character that JSON escapes.
        println!(r#"{{"name":"{name}","unit":"{unit}","count":{count}}}"#);
    }
}
