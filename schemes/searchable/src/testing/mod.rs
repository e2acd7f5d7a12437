//! Shared by tests, fuzz targets and benches. Not part of the public API.

mod decoders;
mod operations;

pub use decoders::decode_anything;
pub use operations::Operations;
