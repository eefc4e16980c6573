//! The pools whose sizes are powers of two.

use std::fmt::{Display, Formatter, Result};

use super::word;
use crate::ast::{Buddy, BuddySystem, Defragment, PageSearch, Pages};

impl Display for Buddy {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        write!(f, "buddy({}", self.system)?;
        if self.defragment != Defragment::default() {
            f.write_str(", defragment=")?;
            word(f, self.defragment)?;
        }
        f.write_str(")")
    }
}

impl Display for BuddySystem {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        word(f, *self)
    }
}

impl Display for Pages {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        write!(f, "pages(page={}, min={}, search={})", self.page, self.min, self.search)
    }
}

impl Display for PageSearch {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        word(f, *self)
    }
}
