//! Prints the sizes of what travels, one JSON object per line.

use duet_benches::sizes::{Sizes, SETS};

fn main() -> serde_json::Result<()> {
    for n in SETS {
        println!("{}", serde_json::to_string(&Sizes::new(n))?);
    }
    Ok(())
}
