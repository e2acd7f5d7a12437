//! What tests, fuzz targets and benches share. Not for use.

mod decoders;
mod operations;

pub use decoders::decode_anything;
pub use operations::Operations;
