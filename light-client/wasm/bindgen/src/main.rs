//! Writes the JavaScript around a module that was built with `wasm-bindgen`: `duet-wasm-bindgen MODULE DIRECTORY`.
//!
//! The usual program for this, `wasm-bindgen-cli`, is installed apart from the lock file that names the version of
//! `wasm-bindgen`, and refuses any other. This one is built from the same lock file.

use std::{path::Path, process::ExitCode};
use wasm_bindgen_cli_support::Bindgen;

fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args_os().skip(1).collect();
    let [module, directory] = arguments.as_slice() else {
        eprintln!("usage: duet-wasm-bindgen MODULE DIRECTORY");
        return ExitCode::FAILURE;
    };
    let Some(name) = Path::new(module).file_stem().and_then(|name| name.to_str()) else {
        eprintln!("{} is not the name of a module", module.display());
        return ExitCode::FAILURE;
    };
    let mut bindgen = Bindgen::new();
    bindgen
        .input_path(module)
        .out_name(name)
        .typescript(true)
        // Who loads the module knows where it is.
        .omit_default_module_path(true)
        .remove_name_section(true)
        .remove_producers_section(true);
    let written = bindgen
        .web(true)
        .and_then(|bindgen| bindgen.generate(directory));
    match written {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("duet-wasm-bindgen: {error:?}");
            ExitCode::FAILURE
        }
    }
}
