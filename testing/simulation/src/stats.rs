//! Order statistics.

/// The middle one, the lower of two; `None` of none.
pub(crate) fn median<T: Copy + Ord>(values: impl IntoIterator<Item = T>) -> Option<T> {
    let mut values: Vec<_> = values.into_iter().collect();
    values.sort_unstable();
    values.get(values.len().saturating_sub(1) / 2).copied()
}

#[cfg(test)]
mod tests {
    use super::median;

    #[test]
    fn the_median_is_one_of_the_values() {
        assert_eq!(median([3, 1, 2]), Some(2));
        assert_eq!(median([4, 1, 2, 3]), Some(2));
        assert_eq!(median([0; 0]), None);
    }
}
