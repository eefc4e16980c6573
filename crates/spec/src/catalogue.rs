//! The heaps of the literature, by name.
//!
//! A catalogue entry is a spec with its source in the literature. Where the source leaves something
//! open, the note says what was chosen; nothing here is a claim about an operating system
//! beyond what the source says.

mod entries;
mod firmware;
mod promise;
mod readings;

use crate::ast::Spec;
use crate::error::SpecError;
use crate::lexer::{Kind, tokens};
use crate::parse::heap_words;
use crate::problem::Problem;
pub use promise::Promise;
pub(crate) use promise::{HOLES, NEVER_JOINED, NONE, PoolPromise, best_fit};

/// A heap with a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its name.
    pub name: &'static str,
    /// Its spec, in the canonical form.
    pub spec: &'static str,
    /// Where the source is silent or the spec differs from it, and what was chosen.
    pub note: &'static str,
    /// The source that the spec follows, down to table or section.
    pub source: &'static str,
    /// The papers, of those that this project reproduces, in which the heap occurs.
    pub papers: &'static [&'static str],
}

/// Every heap that has a name.
pub fn catalogue() -> &'static [Entry] {
    entries::ENTRIES
}

/// Other readings of the sources of the catalogue's operating systems, as `windows-ce/documented` is of `windows-ce`, and specs
/// that place as an original does, as `freertos/heap_4`.
pub fn readings() -> &'static [Entry] {
    readings::READINGS
}

/// The heaps that firmware has, with the addresses of the originals.
pub fn firmware() -> &'static [Entry] {
    firmware::FIRMWARE
}

/// The heap of that name, of the catalogue, of firmware or of the readings.
pub fn entry(name: &str) -> Option<&'static Entry> {
    catalogue().iter().chain(firmware()).chain(readings()).find(|entry| entry.name == name)
}

/// The heap of a text: a name of the catalogue, or a spec.
///
/// ```
/// use heapsmith_spec::resolve;
///
/// assert_eq!(resolve("enea-ose"), resolve("classes(32..=4096 double)"));
/// assert_eq!(resolve("enea").unwrap_err().column, 1);
/// ```
pub fn resolve(text: &str) -> Result<Spec, SpecError> {
    match only_word(text) {
        Some(name) => match entry(name) {
            Some(entry) => entry.spec.parse(),
            None => text.parse().map_err(offer_names),
        },
        None => text.parse(),
    }
}

/// Whether a text is a name of the catalogue.
pub fn is_name(text: &str) -> bool {
    only_word(text).is_some_and(|name| entry(name).is_some())
}

/// The word that the text consists of, if it is one; the name of a reading is one in spite of its slash.
fn only_word(text: &str) -> Option<&str> {
    let name = text.split('#').next().unwrap_or(text).trim();
    if readings().iter().any(|reading| reading.name == name) {
        return Some(name);
    }
    match tokens(text).as_slice() {
        [word, end] if matches!(end.kind, Kind::End) => match word.kind {
            Kind::Word(word) => Some(word),
            _ => None,
        },
        _ => None,
    }
}

/// A single unknown word may have been meant as a name.
fn offer_names(error: SpecError) -> SpecError {
    let Problem::UnknownHeap(word) = error.problem else {
        return error;
    };
    let names = catalogue().iter().chain(firmware()).map(|entry| entry.name);
    SpecError {
        problem: Problem::UnknownName(word),
        alternatives: names.chain(heap_words()).map(str::to_owned).collect(),
        ..error
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::{Entry, catalogue, entry, firmware, is_name, readings, resolve};
    use crate::Spec;

    fn all() -> impl Iterator<Item = &'static Entry> {
        catalogue().iter().chain(firmware()).chain(readings())
    }

    #[test]
    fn every_entry_is_written_in_the_canonical_form() {
        for entry in all() {
            let spec: Spec = entry.spec.parse().unwrap_or_else(|error| panic!("{error}"));
            assert_eq!(spec.to_string(), entry.spec, "{}", entry.name);
        }
    }

    #[test]
    fn names_are_unique_and_stand_for_their_spec() {
        let names: HashSet<_> = all().map(|entry| entry.name).collect();
        assert_eq!(names.len(), all().count());
        for entry in all() {
            assert_eq!(resolve(entry.name), entry.spec.parse(), "{}", entry.name);
        }
    }

    #[test]
    fn every_entry_says_where_it_is_from() {
        for entry in all() {
            assert!(!entry.source.is_empty(), "{}", entry.name);
            assert!(!entry.note.is_empty(), "{}", entry.name);
        }
    }

    #[test]
    fn a_reading_is_another_heap_than_the_entry_that_it_reads() {
        for reading in readings() {
            let (of, _) = reading.name.split_once('/').expect("the name of an entry and that of the reading");
            // That of an original which is no entry is alone.
            match catalogue().iter().find(|entry| entry.name == of) {
                Some(read) => assert_ne!(resolve(read.name), resolve(reading.name), "{}", reading.name),
                None => assert_eq!(of, "freertos", "{}", reading.name),
            }
            assert!(is_name(&format!(" {}  # as documented", reading.name)));
        }
        assert!(!is_name("windows-ce/undocumented") && resolve("windows-ce/undocumented").is_err());
    }

    #[test]
    fn a_promise_follows_the_structure() {
        let promise = |text: &str| resolve(text).unwrap().promise();
        assert_eq!(promise("tlsf").allocate, "constant");
        assert_eq!(promise("first-fit").footprint, "about M log2 n (Robson 1977)");
        assert_ne!(promise("list(tags=off)").free, promise("list").free);
        assert_eq!(promise("list(split=never)").footprint, promise("list(fit=best, coalesce=never)").footprint);
        assert!(promise("freelists(16) tlsf").footprint.contains("blocks that lists cache count as live"));
        let spans = promise("spans(16,32, next=fullest) freelists(64) tree");
        assert!(spans.allocate.starts_with("constant in a span with room, linear in those of the class"));
        assert!(
            spans.allocate.contains("what no class serves: constant for a cached size, else log of the free sizes")
        );
        assert!(
            spans.footprint.starts_with("of the pool below") && spans.footprint.contains("lists cache count as live")
        );
    }

    #[test]
    fn a_name_may_be_followed_by_a_comment() {
        assert_eq!(resolve(" uclinux  # as in 2006"), resolve("uclinux"));
        assert!(is_name(" uclinux  # as in 2006") && !is_name("list"));
    }

    #[test]
    fn a_spec_needs_no_name() {
        assert_eq!(resolve("list"), Ok("list".parse().unwrap()));
        assert!(entry("list").is_none());
    }
}
