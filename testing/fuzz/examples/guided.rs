//! Runs one fuzz target, which `DUET_FUZZ_TARGET` names, guided by coverage.
#![no_main]

use std::sync::LazyLock;

static TARGET: LazyLock<fn(&[u8])> = LazyLock::new(|| {
    let name = std::env::var("DUET_FUZZ_TARGET").expect("DUET_FUZZ_TARGET names a target");
    duet_fuzz::targets()
        .into_iter()
        .find(|target| target.name == name)
        .unwrap_or_else(|| panic!("unknown target {name}"))
        .run
});

libfuzzer_sys::fuzz_target!(
    init: {
        if std::env::var_os("DUET_FUZZ_LIST").is_some() {
            for target in duet_fuzz::targets() {
                println!("{}", target.name);
            }
            std::process::exit(0);
        }
    },
    |data: &[u8]| TARGET(data)
);
