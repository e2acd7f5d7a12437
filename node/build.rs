//! The version that `--version` prints: that of the package, with the commit that was built.

use substrate_build_script_utils::generate_cargo_keys;

/// The commit is looked up when this package is compiled, not at every commit: linking the node again for the
/// sake of a string takes minutes. What is released is built from a clean tree.
fn main() {
    generate_cargo_keys();
    println!("cargo:rerun-if-changed=src");
}
