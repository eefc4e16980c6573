//! Which designs were replayed to their end, and so which questions they can answer.
//!
//! ```text
//!   exhaustive        every question
//!   cut short         questions over what designs were cut short by: fragmentation, accesses, p99, max
//!   halving           questions over the objectives that the search looked for
//! ```
//!
//! An answer is a function of what was covered and of the question. Asked again, a folder answers as exploring anew would,
//! or says that it cannot.

use std::fmt;
use std::str::FromStr;

use crate::goal::Goal;
use crate::objective::Objective;
use crate::search::Strategy;

/// What a finished sweep covered.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Coverage {
    /// How designs were chosen.
    pub search: Strategy,
    /// Whether those that could reach no front were cut short.
    pub prune: bool,
    /// The counted objectives that a search looked for; a search alone depends on them.
    pub(crate) sought: Vec<Objective>,
}

impl Coverage {
    /// What a sweep for a goal covers.
    pub fn of(search: Strategy, prune: bool, goal: &Goal) -> Coverage {
        let sought = match search {
            Strategy::Exhaustive => Vec::new(),
            Strategy::Halving => goal.counted().collect(),
        };
        Coverage { search, prune, sought }
    }

    /// Whether a goal can be answered from what was covered.
    ///
    /// # Errors
    ///
    /// Why it cannot, and what would mend it.
    pub fn answers(&self, goal: &Goal) -> Result<(), String> {
        if let Some(objective) = goal.unsound_to_prune().filter(|_| self.prune) {
            return Err(format!(
                "designs were cut short by fragmentation, accesses, p99 and max (--prune), so the best in {} may be missing: \
                 run `heapsmith explore` with this question and without --prune; what was replayed is not replayed again",
                objective.words()
            ));
        }
        if self.search == Strategy::Halving && !goal.counted().eq(self.sought.iter().copied()) {
            let sought: Vec<&str> = self.sought.iter().map(|objective| objective.words()).collect();
            return Err(format!(
                "the search looked for designs by {}, and left the others out: run `heapsmith explore` with these objectives; \
                 what was replayed is not replayed again",
                sought.join(", ")
            ));
        }
        Ok(())
    }
}

/// `halving,prune:fragmentation,accesses_per_op`: as it is kept in the store.
impl fmt::Display for Coverage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sought: Vec<&str> = self.sought.iter().map(|objective| objective.name()).collect();
        write!(f, "{}{}:{}", self.search.name(), if self.prune { ",prune" } else { "" }, sought.join(","))
    }
}

impl FromStr for Coverage {
    type Err = String;

    fn from_str(text: &str) -> Result<Coverage, String> {
        let (how, sought) = text.split_once(':').ok_or_else(|| format!("{text:?} is no coverage"))?;
        let (search, prune) = how.strip_suffix(",prune").map_or((how, false), |search| (search, true));
        let names = sought.split(',').filter(|name| !name.is_empty());
        Ok(Coverage { search: search.parse()?, prune, sought: names.map(str::parse).collect::<Result<_, String>>()? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn goal(objectives: &[Objective]) -> Goal {
        Goal { objectives: objectives.to_vec(), constraints: Vec::new() }
    }

    #[test]
    fn a_coverage_is_what_it_prints() {
        for search in [Strategy::Exhaustive, Strategy::Halving] {
            for prune in [false, true] {
                let coverage = Coverage::of(search, prune, &Goal::default());
                assert_eq!(coverage.to_string().parse(), Ok(coverage));
            }
        }
    }

    #[test]
    fn what_was_left_out_by_another_goal_is_not_answered() {
        use Objective::{Accesses, External, Fragmentation, MinRegion};
        let usual = Goal::default();
        let whole = Coverage::of(Strategy::Exhaustive, false, &usual);
        assert_eq!(whole.answers(&goal(&[External, MinRegion])), Ok(()));
        let pruned = Coverage::of(Strategy::Exhaustive, true, &usual);
        assert_eq!(pruned.answers(&goal(&[Accesses, MinRegion])), Ok(()));
        assert!(pruned.answers(&goal(&[External])).is_err_and(|why| why.contains("without --prune")));
        let searched = Coverage::of(Strategy::Halving, false, &goal(&[Fragmentation, Accesses]));
        assert_eq!(searched.answers(&goal(&[Fragmentation, Accesses, MinRegion])), Ok(()));
        assert!(
            searched.answers(&usual).is_err_and(|why| why.contains("looked for designs by fragmentation, accesses"))
        );
    }
}
