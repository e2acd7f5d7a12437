//! What all decoders are asked, and how their valid inputs are numbered.

/// Whether a decoder accepted these bytes. Then they are the only encoding of the value.
pub(crate) fn accepts<T, E, B: AsRef<[u8]>>(
    bytes: &[u8],
    decoded: Result<T, E>,
    encode: impl FnOnce(&T) -> B,
) -> bool {
    decoded.is_ok_and(|value| {
        assert_eq!(encode(&value).as_ref(), bytes);
        true
    })
}

/// Inputs for decoders that the first byte of the input selects, in their order.
pub(crate) fn numbered(encodings: impl IntoIterator<Item = Vec<u8>>) -> Vec<Vec<u8>> {
    let numbered = (0..).zip(encodings);
    numbered
        .map(|(choice, bytes)| [vec![choice], bytes].concat())
        .collect()
}
