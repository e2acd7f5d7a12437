//! Builds the runtime a second time, as the WASM blob that the node embeds.
//!
//! `SKIP_WASM_BUILD=1` leaves it out: type checks and native tests need none.

fn main() {
    #[cfg(feature = "std")]
    build_blob();
}

#[cfg(all(feature = "std", feature = "metadata-hash"))]
#[allow(unreachable_pub, reason = "it is public in the runtime")]
#[path = "src/token.rs"]
mod token;

#[cfg(feature = "std")]
fn build_blob() {
    builder().build();
    #[cfg(feature = "next-blob")]
    builder()
        .enable_feature("next-version")
        .set_file_name("next_wasm_binary.rs")
        .build();
}

#[cfg(feature = "std")]
fn builder() -> substrate_wasm_builder::WasmBuilder {
    // In the blob a panic reaches the host as an error with its message, so that a wrong genesis says why.
    let builder =
        substrate_wasm_builder::WasmBuilder::init_with_defaults().enable_feature("panic-messages");
    // With it a signer can be shown what it signs by a device that knows no metadata. It needs a second build of the blob.
    #[cfg(feature = "metadata-hash")]
    let builder = builder.enable_metadata_hash(token::TOKEN_SYMBOL, token::TOKEN_DECIMALS);
    builder
}
