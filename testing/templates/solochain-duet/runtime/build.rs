//! Builds the runtime a second time, as the WASM blob that the chain runs.

fn main() {
    #[cfg(feature = "std")]
    substrate_wasm_builder::WasmBuilder::build_using_defaults();
}
