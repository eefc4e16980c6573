//! A level of a cache, simulated: sets of lines, of which the least recently used goes.

/// A level of `SETS` sets with `WAYS` lines each. Lines are numbered: the address over the bytes of a line.
#[derive(Debug, Clone)]
pub struct CacheLevel<const SETS: usize, const WAYS: usize> {
    /// Lines of each set, plus one, the last used first; 0 for none.
    sets: Vec<[usize; WAYS]>,
}

impl<const SETS: usize, const WAYS: usize> Default for CacheLevel<SETS, WAYS> {
    fn default() -> Self {
        CacheLevel { sets: vec![[0; WAYS]; SETS] }
    }
}

impl<const SETS: usize, const WAYS: usize> CacheLevel<SETS, WAYS> {
    /// Uses a line, and says whether it was there.
    pub fn touch(&mut self, line: usize) -> bool {
        let set = &mut self.sets[line % SETS];
        let place = set.iter().position(|&kept| kept == line + 1);
        set[..=place.unwrap_or(WAYS - 1)].rotate_right(1);
        set[0] = line + 1;
        place.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn the_last_used_stay<const WAYS: usize>() {
        let mut level = CacheLevel::<4, WAYS>::default();
        let lines: Vec<usize> = (0..WAYS).map(|number| number * 4).collect();
        assert!(lines.iter().all(|&line| !level.touch(line)));
        assert!(level.touch(0), "{WAYS} lines fit");
        assert!(!level.touch(WAYS * 4), "one more takes the place of the second, which was used first");
        assert!(!level.touch(4));
        assert!(level.touch(0));
        assert!(!level.touch(1), "another set");
    }

    #[test]
    fn a_level_keeps_the_lines_of_a_set_that_were_used_last() {
        the_last_used_stay::<8>();
        the_last_used_stay::<4>();
    }
}
