//! Frames: a length of four bytes, little-endian, and then that many bytes.

use std::io::{self, Read, Write};

/// The most bytes of a request.
pub const MAX_REQUEST_LEN: u32 = 4 * 1024;
/// The most bytes of an answer: the longest list of keys, and some spare.
pub const MAX_ANSWER_LEN: u32 = 64 * 1024;

/// Why a frame was not read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FrameError {
    /// The connection failed, ended or took too long.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The frame exceeds the limit. Its content was neither read nor allocated.
    #[error("the frame has {got} bytes, above the limit of {limit}")]
    TooLong {
        /// The most bytes.
        limit: u32,
        /// Its length in bytes.
        got: u32,
    },
}

/// Reads a frame of at most `limit` bytes.
///
/// # Errors
/// [`FrameError`]; the connection is unusable afterwards. A frame that ends early is `UnexpectedEof`.
pub fn read_frame(from: &mut dyn Read, limit: u32) -> Result<Vec<u8>, FrameError> {
    let mut len = [0; 4];
    from.read_exact(&mut len)?;
    let got = u32::from_le_bytes(len);
    if got > limit {
        return Err(FrameError::TooLong { limit, got });
    }
    let len = usize::try_from(got).map_err(|_| FrameError::TooLong { limit, got })?;
    let mut body = vec![0; len];
    from.read_exact(&mut body)?;
    Ok(body)
}

/// Writes a frame in one call, so that it travels in one packet if possible.
///
/// # Errors
/// [`FrameError::TooLong`] when it exceeds `limit`, in which case nothing is written; the connection's error.
pub fn write_frame(to: &mut dyn Write, body: &[u8], limit: u32) -> Result<(), FrameError> {
    let got = u32::try_from(body.len()).unwrap_or(u32::MAX);
    if got > limit {
        return Err(FrameError::TooLong { limit, got });
    }
    to.write_all(&[&got.to_le_bytes(), body].concat())?;
    Ok(to.flush()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_comes_back_as_it_was_written() {
        for body in [vec![], vec![7], vec![1; 9]] {
            let mut bytes = Vec::new();
            write_frame(&mut bytes, &body, 9).unwrap();
            assert_eq!(bytes.len(), body.len() + 4);
            assert_eq!(read_frame(&mut &*bytes, 9).unwrap(), body);
        }
    }

    #[test]
    fn a_frame_that_is_too_long_is_neither_read_nor_written() {
        let mut bytes = Vec::new();
        let error = write_frame(&mut bytes, &[0; 10], 9).unwrap_err();
        assert!(matches!(error, FrameError::TooLong { limit: 9, got: 10 }));
        assert!(bytes.is_empty());
        let mut rest = &u32::MAX.to_le_bytes()[..];
        let error = read_frame(&mut rest, 9).unwrap_err();
        let got = u32::MAX;
        assert!(matches!(error, FrameError::TooLong { limit: 9, got: of } if of == got));
    }

    #[test]
    fn a_frame_that_ends_early_is_an_error() {
        for bytes in [&[][..], &[1, 0], &[2, 0, 0, 0, 5]] {
            let error = read_frame(&mut &*bytes, 9).unwrap_err();
            let FrameError::Io(error) = error else {
                panic!("{error}");
            };
            assert_eq!(error.kind(), io::ErrorKind::UnexpectedEof);
        }
    }
}
