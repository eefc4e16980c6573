//! What the user has today: an allocator as it is named.

use std::fmt;
use std::str::FromStr;

use heapsmith_replay::{Subject, SubjectError};
use heapsmith_spec::{Spec, Target};

/// An allocator as the user names it.
#[derive(Debug, Clone, PartialEq)]
pub struct Baseline {
    name: String,
    subject: Subject,
}

impl Baseline {
    /// The usual one of a target.
    pub fn of(target: &Target) -> Baseline {
        // A test reads them all.
        target.baseline.parse().unwrap_or_else(|_| Baseline { name: "nothing".to_owned(), subject: Subject::Nothing })
    }

    /// As it was named: a spec, a name of the catalogue, or a peer with its prefix.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// As it serves on a target: a heap behind `malloc` is aligned as one, as `run` aligns it.
    pub(crate) fn on(self, target: &Target) -> Baseline {
        match self.spec().map(Spec::for_malloc) {
            Some(Ok(spec)) if target.malloc => Baseline { subject: spec.into(), ..self },
            _ => self,
        }
    }

    /// Its spec; none of a peer.
    pub fn spec(&self) -> Option<&Spec> {
        self.subject.spec()
    }
}

impl fmt::Display for Baseline {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}

impl FromStr for Baseline {
    type Err = SubjectError;

    fn from_str(text: &str) -> Result<Baseline, SubjectError> {
        let name = text.split('#').next().unwrap_or_default().split_whitespace().collect::<Vec<_>>().join(" ");
        Ok(Baseline { subject: text.parse()?, name })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_target_has_a_baseline_that_is_one() {
        for target in Target::all() {
            assert_eq!(Baseline::of(target).name(), target.baseline);
        }
        assert!("nobody".parse::<Baseline>().is_err());
        let on = |target: &Target| "tlsf".parse::<Baseline>().expect("a baseline").on(target);
        let [host, board] = [on(Target::host()), on(Target::named("cortex-m").expect("a target"))];
        assert_eq!(
            (host.name(), host.spec().map(ToString::to_string)),
            ("tlsf", Some("tlsf(second-level=5) align=16".to_owned()))
        );
        assert_eq!(board.spec().map(ToString::to_string), Some("tlsf(second-level=5)".to_owned()));
    }
}
