//! The one sentence of an assertion that failed: what was measured, what is allowed, where.

use std::path::Path;

use crate::amount::Amount;
use crate::figures::{Found, Missing};
use crate::file::Limit;
use crate::report::{Outcome, Verdict};

/// What comes of a verdict whose figure, and the base's where it is compared with one, were found.
pub(crate) fn outcome(path: &Path, verdict: &Verdict, found: &Found, base: Option<&Found>) -> Outcome {
    let place = format!("{}:{}", path.display(), verdict.line);
    let (figure, subject, allowed) = (verdict.figure, verdict.subject(), verdict.allowed());
    let now = match found {
        Ok(now) => now,
        Err(Missing::Refused { failed, operations, region }) => {
            let within = region.map_or_else(String::new, |region| format!(" in a region of {region} bytes"));
            let heap = verdict.heap.as_deref().unwrap_or_default();
            return Outcome::Failed(format!(
                "{place}: {heap} refuses {failed} of {operations} operations of {}{within}, so it has no {figure}, where \
                 {allowed} is allowed",
                verdict.trace
            ));
        }
        Err(Missing::Unknown(why)) => return Outcome::Impossible(format!("{place}: {figure} of {subject}: {why}")),
    };
    let unit = figure.measure().unit();
    let seen = now.event.map_or_else(String::new, |event| format!(" at event {}", event + 1));
    let measured = format!("{place}: {figure} of {subject} is {}{seen}", unit.shown(now.value));
    let (before, limit) = match (verdict.limit, base) {
        (Limit::Max(max), _) if now.value <= max => return Outcome::Passed,
        (Limit::Min(min), _) if now.value >= min => return Outcome::Passed,
        (Limit::Max(_) | Limit::Min(_), _) => return Outcome::Failed(format!("{measured}, {allowed} is allowed")),
        (limit, Some(Ok(base))) => (base.value, limit),
        (_, Some(Err(Missing::Refused { failed, operations, .. }))) => {
            return Outcome::Impossible(format!(
                "{measured}, and the base has no figure to compare with: the heap refuses {failed} of {operations} \
                 operations of the base's trace; assert max or min instead"
            ));
        }
        (_, Some(Err(Missing::Unknown(why)))) => {
            return Outcome::Impossible(format!("{measured}, and the base has none: {why}"));
        }
        (_, None) => {
            return Outcome::Impossible(format!(
                "{measured}, and there is no base to compare with: pass --base DIR or FILE, or name a base in the file"
            ));
        }
    };
    if keeps(limit, now.value, before) {
        return Outcome::Passed;
    }
    Outcome::Failed(format!(
        "{measured}, {} the base's {}, {allowed} is allowed",
        change(now.value, before),
        unit.shown(before)
    ))
}

/// Whether a value keeps a limit that compares it with a base.
fn keeps(limit: Limit, now: f64, before: f64) -> bool {
    let room = |amount: Amount| match amount {
        Amount::Number(number) => number,
        Amount::Share(share) => before.abs() * share,
    };
    match limit {
        Limit::MaxGrowth(amount) => now - before <= room(amount),
        Limit::MaxDrop(amount) => before - now <= room(amount),
        Limit::Max(_) | Limit::Min(_) => true,
    }
}

/// `7.2% more than`, for a sentence that continues with the base's value.
fn change(now: f64, before: f64) -> String {
    let direction = if now > before { "more" } else { "less" };
    if before == 0.0 {
        return format!("{direction} than");
    }
    let percent = (now - before).abs() / before.abs() * 100.0;
    // A change that fails is never shown as none.
    let shown = if percent < 0.05 { format!("{percent:.1e}") } else { format!("{percent:.1}") };
    format!("{shown}% {direction} than")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn growth_is_compared_with_the_base_to_its_edge() {
        let five = Limit::MaxGrowth(Amount::Share(0.05));
        assert!(keeps(five, 105.0, 100.0) && !keeps(five, 106.0, 100.0) && keeps(five, 1.0, 100.0));
        assert!(keeps(five, 0.0, 0.0) && !keeps(five, 1.0, 0.0));
        let none = Limit::MaxGrowth(Amount::Share(0.0));
        assert!(keeps(none, 1.0 / 3.0, 1.0 / 3.0) && !keeps(none, 101.0, 100.0));
        let drop = Limit::MaxDrop(Amount::Number(8.0));
        assert!(keeps(drop, 92.0, 100.0) && !keeps(drop, 91.0, 100.0) && keeps(drop, 200.0, 100.0));
        // A drift may be below zero: room is given by its size.
        assert!(keeps(five, -95.0, -100.0) && !keeps(five, -94.0, -100.0));
    }

    #[test]
    fn a_small_change_is_not_told_as_none() {
        assert_eq!(change(107.2, 100.0), "7.2% more than");
        assert_eq!(change(90.0, 100.0), "10.0% less than");
        assert_eq!(change(100_001.0, 100_000.0), "1.0e-3% more than");
        assert_eq!(change(5.0, 0.0), "more than");
    }
}
