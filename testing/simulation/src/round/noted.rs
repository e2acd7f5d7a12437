//! Sets of messages, one for each node or edge.

/// Which node knows which message, or which peer.
pub(super) struct Noted {
    words: Vec<u64>,
    words_per_row: usize,
}

impl Noted {
    /// Nothing is noted, of so many messages by so many.
    pub(super) fn new(rows: usize, messages: usize) -> Self {
        let words_per_row = messages.div_ceil(64);
        Self {
            words: vec![0; rows * words_per_row],
            words_per_row,
        }
    }

    /// Notes a message.
    pub(super) fn insert(&mut self, row: usize, message: usize) {
        self.words[row * self.words_per_row + message / 64] |= 1 << (message % 64);
    }

    /// Whether a message was noted.
    pub(super) fn has(&self, row: usize, message: usize) -> bool {
        self.words[row * self.words_per_row + message / 64] & (1 << (message % 64)) != 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_one_has_noted_the_others_have_not() {
        let mut noted = Noted::new(3, 130);
        noted.insert(1, 129);
        let all = (0..3).flat_map(|row| (0..130).map(move |message| (row, message)));
        let found: Vec<_> = all.filter(|(row, at)| noted.has(*row, *at)).collect();
        assert_eq!(found, [(1, 129)]);
    }
}
