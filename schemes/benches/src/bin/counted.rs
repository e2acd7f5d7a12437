//! Prints the counted (not timed) figures as JSON, one count per line.

use duet_scheme_benches::counted::{all, Counted};

fn main() {
    for Counted { name, unit, count } in all() {
        // Names have no character that JSON escapes.
        println!(r#"{{"name":"{name}","unit":"{unit}","count":{count}}}"#);
    }
}
