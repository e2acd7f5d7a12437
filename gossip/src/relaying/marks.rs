//! One peer's state of a group of messages: three bits for each.

/// Messages in one word.
pub(super) const WORD: usize = 64;

/// The bit of a place in its word.
pub(super) fn bit_of(place: usize) -> u64 {
    1_u64.rotate_left(u32::try_from(place % WORD).unwrap_or_default())
}

/// For each message of a group, by its place: whether the peer brought it, and whether it was handed over to the peer.
#[derive(Clone, Debug, Default)]
pub(super) struct Marks {
    words: Vec<Word>,
    /// Nothing is lacking in the words before this one, or it is not due.
    first: usize,
}

#[derive(Clone, Copy, Debug, Default)]
struct Word {
    /// The peer sent it.
    brought: u64,
    /// It was handed over, and is not due again.
    handed: u64,
    /// It was handed over before the last time that this word was due.
    aged: u64,
}

impl Marks {
    /// The first place below `len` of a message that the peer lacks, and that is due by `due`, which tells of each word.
    pub(super) fn next(&mut self, len: usize, due: impl Fn(usize) -> u64) -> Option<usize> {
        loop {
            let begin = self.first.checked_mul(WORD).filter(|it| *it < len)?;
            let word = self.words.get(self.first).copied().unwrap_or_default();
            let lacking = !(word.brought | word.handed) & due(self.first);
            if lacking != 0 {
                let offset = usize::try_from(lacking.trailing_zeros()).ok()?;
                return Some(begin.saturating_add(offset)).filter(|it| *it < len);
            }
            self.first = self.first.saturating_add(1);
        }
    }

    /// The peer sent this message.
    pub(super) fn brought(&mut self, place: usize) {
        self.change(place, |word, bit| word.brought |= bit);
    }

    /// This message was handed over.
    pub(super) fn handed(&mut self, place: usize) {
        self.change(place, |word, bit| word.handed |= bit);
    }

    /// This message was not handed over after all.
    pub(super) fn give_back(&mut self, place: usize) {
        self.change(place, |word, bit| word.handed &= !bit);
        self.reopen(place / WORD);
    }

    /// More messages are due, in this word or later ones.
    pub(super) fn reopen(&mut self, word: usize) {
        self.first = self.first.min(word);
    }

    /// Messages handed over before these words were last due count as lacking again, unless the peer brought them.
    /// Returns whether there are any.
    pub(super) fn repeat(&mut self, is_due: impl Fn(usize) -> bool) -> bool {
        let mut first = None;
        for (place, word) in self.words.iter_mut().enumerate().filter(|it| is_due(it.0)) {
            let again = word.handed & word.aged & !word.brought;
            word.aged = word.handed;
            word.handed &= !again;
            if again != 0 {
                first = first.or(Some(place));
            }
        }
        if let Some(first) = first {
            self.reopen(first);
        }
        first.is_some()
    }

    fn change(&mut self, place: usize, change: impl FnOnce(&mut Word, u64)) {
        let at = place / WORD;
        if self.words.len() <= at {
            self.words.resize(at.saturating_add(1), Word::default());
        }
        if let Some(word) = self.words.get_mut(at) {
            change(word, bit_of(place));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn take_all(marks: &mut Marks, len: usize) -> Vec<usize> {
        std::iter::from_fn(|| {
            let place = marks.next(len, |_| u64::MAX)?;
            marks.handed(place);
            Some(place)
        })
        .collect()
    }

    #[test]
    fn all_are_lacking_once_in_order_but_what_the_peer_brought() {
        let mut marks = Marks::default();
        for place in [0, 63, 64, 130] {
            marks.brought(place);
        }
        let expected: Vec<_> = (0..200)
            .filter(|place| ![0, 63, 64, 130].contains(place))
            .collect();
        assert_eq!(take_all(&mut marks, 200), expected);
        assert!(take_all(&mut marks, 200).is_empty());
        assert_eq!(take_all(&mut marks, 202), [200, 201], "two came");
    }

    #[test]
    fn what_is_given_back_is_lacking_again_and_may_be_brought_meanwhile() {
        let mut marks = Marks::default();
        take_all(&mut marks, 200);
        for place in [7, 70, 170] {
            marks.give_back(place);
        }
        marks.brought(70);
        assert_eq!(take_all(&mut marks, 200), [7, 170]);
    }

    #[test]
    fn a_word_is_repeated_whenever_it_is_due_but_not_what_is_new_since_then() {
        let mut marks = Marks::default();
        take_all(&mut marks, 3);
        assert!(!marks.repeat(|_| true), "it was not due before");
        take_all(&mut marks, 5);
        marks.brought(1);
        assert!(!marks.repeat(|word| word == 1), "another word");
        assert!(marks.repeat(|_| true));
        assert_eq!(take_all(&mut marks, 5), [0, 2]);
        assert!(marks.repeat(|_| true));
        assert_eq!(take_all(&mut marks, 5), [0, 2, 3, 4]);
        assert!(marks.repeat(|_| true));
        assert_eq!(take_all(&mut marks, 5), [0, 2, 3, 4]);
    }
}
