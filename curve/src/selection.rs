//! Selections of list entries by the bits of a byte string, the lowest bit of the first byte first.

/// Whether a bit is set; not beyond the end.
pub fn is_set(bytes: &[u8], index: usize) -> bool {
    bytes
        .get(index / 8)
        .is_some_and(|byte| byte >> (index % 8) & 1 == 1)
}

/// The indices of the bits that are set, in ascending order. Cost: eight zero bytes are skipped at once.
pub(crate) fn set_bits(bytes: &[u8]) -> impl Iterator<Item = usize> + '_ {
    bytes.chunks(8).enumerate().flat_map(|(at, chunk)| {
        let mut word = [0; 8];
        for (to, from) in word.iter_mut().zip(chunk) {
            *to = *from;
        }
        let mut rest = u64::from_le_bytes(word);
        core::iter::from_fn(move || {
            let lowest = rest.trailing_zeros();
            (rest != 0).then(|| {
                rest &= rest.wrapping_sub(1);
                at << 6 | lowest as usize
            })
        })
    })
}

/// The entries of `list` whose bits are set. Bits beyond the list are ignored.
pub(crate) fn selected<'a, P>(list: &'a [P], bytes: &'a [u8]) -> impl Iterator<Item = &'a P> + 'a {
    set_bits(bytes).map_while(|index| list.get(index))
}

#[cfg(test)]
mod tests {
    use super::{is_set, set_bits};
    use alloc::{format, string::String, vec::Vec};

    #[test]
    fn the_indices_are_those_of_the_bits_that_are_set() {
        for len in 0..=25_u8 {
            let bytes: Vec<_> = (0..len).map(|at| at.wrapping_mul(101)).collect();
            let beyond = usize::from(len) * 8 + 9;
            let expected: Vec<_> = (0..beyond).filter(|index| is_set(&bytes, *index)).collect();
            assert_eq!(set_bits(&bytes).collect::<Vec<_>>(), expected);
            let text: String = bytes
                .iter()
                .map(|byte| format!("{:08b}", byte.reverse_bits()))
                .collect();
            let ones: Vec<_> = text.match_indices('1').map(|(index, _)| index).collect();
            assert_eq!(ones, expected);
        }
    }
}
