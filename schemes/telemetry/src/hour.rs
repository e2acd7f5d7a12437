//! The hour of a reading.

use std::{
    fmt,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

const LENGTH: u64 = 60 * 60;

/// Whole hours since 1970, in UTC: the epoch of a keyword.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Hour(pub u64);

impl Hour {
    /// The hour of a time. Times before 1970 are in hour 0.
    pub fn of(time: SystemTime) -> Self {
        let since = time.duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO);
        Self(since.as_secs() / LENGTH)
    }

    /// The next one; the last one is followed by itself.
    pub fn next(self) -> Self {
        Self(self.0.saturating_add(1))
    }

    /// So many hours before; 0 at the least.
    pub fn before(self, hours: u64) -> Self {
        Self(self.0.saturating_sub(hours))
    }
}

impl fmt::Display for Hour {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_hour_has_3600_seconds() {
        let at = |seconds| Hour::of(UNIX_EPOCH + Duration::from_secs(seconds));
        assert_eq!(at(3_599), Hour(0));
        assert_eq!(at(3_600), Hour(1));
        assert_eq!(at(1_772_366_400), Hour(492_324));
        assert_eq!(Hour::of(UNIX_EPOCH - Duration::from_secs(1)), Hour(0));
        assert_eq!((Hour(7).next(), Hour(7).before(9)), (Hour(8), Hour(0)));
    }
}
