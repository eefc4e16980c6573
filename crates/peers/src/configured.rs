//! A reference allocator with values of its knobs: `peer:jemalloc(narenas=2, dirty_decay_ms=1000)`.

use std::ffi::OsString;
use std::fmt;
use std::str::FromStr;

use crate::PREFIX;
use crate::deployed::Deployed;
use crate::knobs::Knob;

/// A reference allocator as a program is started with it. It prints as it is read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Configured {
    allocator: Deployed,
    /// Knobs and their values as they were written, in the order of the allocator's table.
    knobs: Vec<(&'static Knob, String)>,
}

/// Why a text is no such allocator.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum KnobError {
    /// No allocator that can be preloaded has that name.
    #[error("no reference allocator that can be preloaded is called \"{name}\"; there are: {}", names())]
    Allocator {
        /// What was asked for.
        name: String,
    },
    /// It has no such knob.
    #[error("{allocator} has no knob \"{name}\"; it has: {}", knobs(*allocator))]
    Unknown {
        /// The allocator.
        allocator: Deployed,
        /// What was asked for.
        name: String,
    },
    /// A knob has no such value.
    #[error("{name}={value} of {allocator}: write {expected}")]
    Value {
        /// The allocator.
        allocator: Deployed,
        /// The knob.
        name: &'static str,
        /// What was written.
        value: String,
        /// What can be.
        expected: String,
    },
    /// A knob was set twice.
    #[error("{name} of {allocator} is set twice")]
    Twice {
        /// The allocator.
        allocator: Deployed,
        /// The knob.
        name: &'static str,
    },
    /// It has another form.
    #[error("{text}: write peer:NAME or peer:NAME(knob=value, …)")]
    Form {
        /// What was written.
        text: String,
    },
}

fn names() -> String {
    Deployed::ALL.map(Deployed::name).join(", ")
}

fn knobs(allocator: Deployed) -> String {
    allocator.knobs().iter().map(|knob| knob.name).collect::<Vec<_>>().join(", ")
}

impl Configured {
    /// As it is installed.
    pub fn plain(allocator: Deployed) -> Configured {
        Configured { allocator, knobs: Vec::new() }
    }

    /// The allocator.
    pub fn allocator(&self) -> Deployed {
        self.allocator
    }

    /// The knobs that are set, with their values.
    pub fn knobs(&self) -> impl Iterator<Item = (&'static Knob, &str)> {
        self.knobs.iter().map(|(knob, value)| (*knob, value.as_str()))
    }

    /// The same with another value of a knob.
    ///
    /// # Errors
    ///
    /// [`KnobError::Value`].
    pub fn with(&self, knob: &'static Knob, value: &str) -> Result<Configured, KnobError> {
        if knob.values.spelled(value).is_none() {
            let expected = knob.values.expected();
            return Err(KnobError::Value {
                allocator: self.allocator,
                name: knob.name,
                value: value.to_owned(),
                expected,
            });
        }
        let mut with = self.without(knob);
        with.knobs.push((knob, value.to_owned()));
        let place = |knob: &Knob| self.allocator.knobs().iter().position(|known| known.name == knob.name);
        with.knobs.sort_by_key(|(knob, _)| place(knob));
        Ok(with)
    }

    /// The same with a knob's default.
    pub fn without(&self, knob: &Knob) -> Configured {
        let mut without = self.clone();
        without.knobs.retain(|(known, _)| known.name != knob.name);
        without
    }

    /// The environment variables that the knobs become.
    pub fn environment(&self) -> Vec<(String, String)> {
        let spelled = |(knob, value): &(&'static Knob, String)| {
            let value = knob.values.spelled(value).unwrap_or_default();
            knob.spelled.iter().map(|name| ((*name).to_owned(), value.clone())).collect::<Vec<_>>()
        };
        let all: Vec<(String, String)> = self.knobs.iter().flat_map(spelled).collect();
        let joined = |variable: &str, prefix: &str, is: char, between: &str| {
            let pairs: Vec<String> = all.iter().map(|(name, value)| format!("{prefix}{name}{is}{value}")).collect();
            if pairs.is_empty() { Vec::new() } else { vec![(variable.to_owned(), pairs.join(between))] }
        };
        match self.allocator {
            Deployed::Libc => joined("GLIBC_TUNABLES", "glibc.malloc.", '=', ":"),
            Deployed::Jemalloc => joined("MALLOC_CONF", "", ':', ","),
            Deployed::Mimalloc | Deployed::Tcmalloc => all,
        }
    }

    /// The environment as a shell's words before a command; empty without knobs.
    pub fn line(&self) -> String {
        let words: Vec<String> = self.environment().iter().map(|(name, value)| format!("{name}={value}")).collect();
        words.join(" ")
    }
}

impl FromStr for Configured {
    type Err = KnobError;

    /// `NAME` or `NAME(knob=value, …)`, with or without the prefix `peer:`.
    fn from_str(text: &str) -> Result<Configured, KnobError> {
        let text = text.trim();
        let form = || KnobError::Form { text: text.to_owned() };
        let body = text.strip_prefix(PREFIX).unwrap_or(text);
        let (name, list) = match body.split_once('(') {
            None => (body, ""),
            Some((name, list)) => (name, list.strip_suffix(')').ok_or_else(form)?),
        };
        let named = Deployed::ALL.into_iter().find(|allocator| allocator.name() == name.trim());
        let allocator = named.ok_or_else(|| KnobError::Allocator { name: name.trim().to_owned() })?;
        let mut configured = Configured::plain(allocator);
        for item in list.split(',').map(str::trim).filter(|item| !item.is_empty()) {
            let (name, value) = item.split_once('=').ok_or_else(form)?;
            let knob = allocator.knobs().iter().find(|knob| knob.name == name.trim());
            let knob = knob.ok_or_else(|| KnobError::Unknown { allocator, name: name.trim().to_owned() })?;
            if configured.knobs.iter().any(|(known, _)| known.name == knob.name) {
                return Err(KnobError::Twice { allocator, name: knob.name });
            }
            configured = configured.with(knob, value.trim())?;
        }
        Ok(configured)
    }
}

impl fmt::Display for Configured {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.allocator.fmt(f)?;
        let knobs: Vec<String> = self.knobs.iter().map(|(knob, value)| format!("{}={value}", knob.name)).collect();
        if knobs.is_empty() { Ok(()) } else { write!(f, "({})", knobs.join(", ")) }
    }
}

/// How variables begin that configure allocators.
const VARIABLES: [&str; 4] = ["GLIBC_TUNABLES", "MALLOC_", "MIMALLOC_", "TCMALLOC_"];

/// What this process's environment has for allocators: a process on one as it is installed, or with knobs that were chosen, does not
/// inherit it.
pub fn inherited_knobs() -> Vec<OsString> {
    let configures = |name: &OsString| {
        let name = name.as_encoded_bytes();
        VARIABLES.iter().any(|begin| name.starts_with(begin.as_bytes()))
    };
    std::env::vars_os().map(|(name, _)| name).filter(configures).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Configured {
        text.parse().expect("it is one")
    }

    #[test]
    fn it_prints_as_it_is_read_in_the_order_of_the_table() {
        for text in ["peer:tcmalloc", "peer:jemalloc(narenas=2, dirty_decay_ms=1000)", "peer:mimalloc(purge_delay=0)"] {
            assert_eq!(read(text).to_string(), text);
        }
        assert_eq!(
            read("jemalloc(dirty_decay_ms=-1,narenas=1)").to_string(),
            "peer:jemalloc(narenas=1, dirty_decay_ms=-1)"
        );
        assert_eq!(read("libc()"), Configured::plain(Deployed::Libc));
    }

    #[test]
    fn knobs_become_the_environment_that_the_allocator_reads() {
        assert_eq!(read("jemalloc(narenas=2,tcache=off)").line(), "MALLOC_CONF=narenas:2,tcache:false");
        let libc = read("libc(mmap_threshold=1M,arena_max=1)");
        assert_eq!(libc.line(), "GLIBC_TUNABLES=glibc.malloc.arena_max=1:glibc.malloc.mmap_threshold=1048576");
        let mimalloc = read("mimalloc(purge_delay=0)").line();
        assert!(mimalloc.starts_with("MIMALLOC_PURGE_DELAY=0 MIMALLOC_DECOMMIT_DELAY=0"), "{mimalloc}");
        assert_eq!(read("tcmalloc(release_rate=0.5)").line(), "TCMALLOC_RELEASE_RATE=0.5");
        assert_eq!(read("tcmalloc").line(), "");
    }

    #[test]
    fn what_is_wrong_is_said_with_what_can_be_written() {
        let error = |text: &str| text.parse::<Configured>().expect_err("it is none").to_string();
        insta::assert_snapshot!(
            [
                "hoard",
                "jemalloc(arenas=2)",
                "jemalloc(narenas=0)",
                "libc(arena_max=1,arena_max=2)",
                "libc(arena_max",
                "libc(x)"
            ]
            .map(error)
            .join("\n")
        );
    }
}
