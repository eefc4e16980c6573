//! Which request sizes a list serves.

/// One item of a list of sizes: a single list, or many at once.
///
/// | text | lists |
/// |---|---|
/// | `66` | one, for requests of exactly 66 bytes |
/// | `8..=16` | one, for requests of 8 to 16 bytes, each of which gets a block for 16 |
/// | `8..=1024 step 8` | 128: for 1 to 8 bytes, 9 to 16, … 1017 to 1024 |
/// | `16..=4096 double` | 9: for 9 to 16 bytes, 17 to 32, … 2049 to 4096 |
/// | `64..=224 double(4)` | 8: for up to 64 bytes, to 80, 96, 112, 128, 160, 192 and 224: four steps to each doubling |
///
/// In the last three forms each size is the upper end of a list, which serves whatever is above
/// the size before it; the first list reaches down as far as if the row had begun one size
/// earlier. Nothing falls between two lists of a row, and a request that is smaller than the
/// first size by less than a step still finds its list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Sizes {
    /// A list for one size.
    One(u64),
    /// A list for all sizes of a range, each request rounded up to the upper end.
    Range {
        /// The smallest request served.
        from: u64,
        /// The largest request served, and what all are rounded up to.
        to: u64,
    },
    /// A list for each step.
    Steps {
        /// The upper end of the first list.
        from: u64,
        /// The upper end of the last list; `from` plus a whole number of steps.
        to: u64,
        /// How far apart the upper ends are.
        step: u64,
    },
    /// A list for each doubling, or several.
    Doubles {
        /// The upper end of the first list; a multiple of `parts`.
        from: u64,
        /// The upper end of the last list; `from` times a power of two, and a whole number of its steps more.
        to: u64,
        /// Lists to each doubling, equally far apart.
        parts: u64,
    },
}

impl Sizes {
    /// How many lists this item makes. None, if the item is not a valid one.
    pub fn lists(&self) -> u64 {
        match *self {
            Self::One(_) => 1,
            Self::Range { from, to } => u64::from(from <= to),
            Self::Steps { from, to, step } => {
                to.checked_sub(from).and_then(|span| span.checked_div(step)).map_or(0, |steps| steps.saturating_add(1))
            }
            Self::Doubles { from, to, parts } => {
                let Some(doublings) = to.checked_div(from).and_then(u64::checked_ilog2) else { return 0 };
                let below = from << doublings;
                let beyond = (to - below).checked_div(below / parts.max(1)).unwrap_or(0);
                u64::from(doublings).saturating_mul(parts).saturating_add(1 + beyond)
            }
        }
    }

    /// The request sizes of each list, `(low, high)` with both ends served, ascending.
    ///
    /// ```
    /// use heapsmith_spec::Sizes;
    ///
    /// let ranges: Vec<_> = Sizes::Doubles { from: 16, to: 64, parts: 1 }.ranges().collect();
    /// assert_eq!(ranges, [(9, 16), (17, 32), (33, 64)]);
    /// ```
    pub fn ranges(&self) -> impl Iterator<Item = (u64, u64)> + use<> {
        let sizes = *self;
        (0..sizes.lists()).map(move |index| sizes.range(index))
    }

    /// The requests of the list at `index`, which is below [`Sizes::lists`].
    fn range(&self, index: u64) -> (u64, u64) {
        match *self {
            Self::One(size) => (size, size),
            Self::Range { from, to } => (from, to),
            Self::Steps { from, step, .. } => {
                let high = from + index * step;
                (high.saturating_sub(step) + 1, high)
            }
            Self::Doubles { from, parts, .. } => {
                let end = |index: u64| {
                    let below = from << (index / parts);
                    below + index % parts * (below / parts)
                };
                let before = match index.checked_sub(1) {
                    Some(before) => end(before),
                    None => from - from.div_ceil(2 * parts),
                };
                (before + 1, end(index))
            }
        }
    }

    /// The smallest and the largest request that any of the lists serves.
    pub(crate) fn span(&self) -> Option<(u64, u64)> {
        let last = self.lists().checked_sub(1)?;
        Some((self.range(0).0, self.range(last).1))
    }
}

#[cfg(test)]
mod tests {
    use super::Sizes;

    fn ranges(sizes: Sizes) -> Vec<(u64, u64)> {
        sizes.ranges().collect()
    }

    #[test]
    fn a_single_size_serves_itself() {
        assert_eq!(ranges(Sizes::One(66)), [(66, 66)]);
    }

    #[test]
    fn a_range_is_one_list() {
        assert_eq!(ranges(Sizes::Range { from: 8, to: 16 }), [(8, 16)]);
    }

    #[test]
    fn steps_leave_nothing_between_two_lists() {
        let sizes = Sizes::Steps { from: 8, to: 1024, step: 8 };
        let ranges = ranges(sizes);
        assert_eq!(ranges.len(), 128);
        assert_eq!((ranges[0], ranges[127]), ((1, 8), (1017, 1024)));
        assert!(ranges.windows(2).all(|pair| pair[0].1 + 1 == pair[1].0));
    }

    #[test]
    fn the_first_step_reaches_down_one_step() {
        let sizes = Sizes::Steps { from: 100, to: 120, step: 10 };
        assert_eq!(ranges(sizes), [(91, 100), (101, 110), (111, 120)]);
    }

    #[test]
    fn doubling_reaches_the_end_of_the_number_line() {
        let sizes = Sizes::Doubles { from: 1, to: 1 << 63, parts: 1 };
        assert_eq!(sizes.lists(), 64);
        assert_eq!(sizes.span(), Some((1, 1 << 63)));
    }

    #[test]
    fn steps_of_doublings_grow_with_the_doubling() {
        let sizes = Sizes::Doubles { from: 64, to: 224, parts: 4 };
        assert_eq!(
            ranges(sizes),
            [(57, 64), (65, 80), (81, 96), (97, 112), (113, 128), (129, 160), (161, 192), (193, 224)]
        );
        assert_eq!(ranges(Sizes::Doubles { from: 64, to: 64, parts: 4 }), [(57, 64)]);
    }

    #[test]
    fn nonsense_makes_no_list() {
        for sizes in [
            Sizes::Range { from: 9, to: 8 },
            Sizes::Steps { from: 8, to: 16, step: 0 },
            Sizes::Steps { from: 16, to: 8, step: 8 },
            Sizes::Doubles { from: 0, to: 8, parts: 1 },
            Sizes::Doubles { from: 16, to: 8, parts: 1 },
        ] {
            assert_eq!(ranges(sizes), [], "{sizes:?}");
        }
    }
}
