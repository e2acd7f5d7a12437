//! Runs one fuzz target, which `DUET_FUZZ_TARGET` names, guided by coverage.
#![no_main]

use duet_scheme_fuzz::{Target, TARGETS};
use std::{env, fs, path::Path, sync::LazyLock};

static TARGET: LazyLock<Target> = LazyLock::new(|| {
    let name = env::var("DUET_FUZZ_TARGET").expect("DUET_FUZZ_TARGET names a target");
    let mut targets = TARGETS.into_iter();
    let target = targets.find(|target| target.name == name);
    target.unwrap_or_else(|| panic!("unknown target {name}"))
});

libfuzzer_sys::fuzz_target!(
    init: {
        // Lists the targets, and writes the valid inputs of each into a folder of its name.
        if let Some(folder) = env::var_os("DUET_FUZZ_LIST") {
            for target in TARGETS {
                let folder = Path::new(&folder).join(target.name);
                fs::create_dir_all(&folder).expect("a folder");
                for (number, bytes) in (target.valid)().iter().enumerate() {
                    fs::write(folder.join(number.to_string()), bytes).expect("a file");
                }
                println!("{}", target.name);
            }
            std::process::exit(0);
        }
    },
    |data: &[u8]| {
        (TARGET.run)(data);
    }
);
