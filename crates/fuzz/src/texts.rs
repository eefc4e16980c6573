//! What people write: heaps, questions, spaces, assertions.

use std::path::Path;

use heapsmith_check::{Amount, CheckFile, Saved};
use heapsmith_explore::{Families, Question, Space, Strategy};
use heapsmith_spec::{Spec, resolve};
use heapsmith_trace::{Action, Bytes, Event, Origin, PackedTrace, Slice, Trace};

/// The text of a heap: what it prints is read as the same heap. It is no heap, or one that can be built.
pub(crate) fn spec(_: &str, bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let _ = resolve(text);
    match text.parse::<Spec>() {
        Ok(spec) => {
            let printed = spec.to_string();
            assert_eq!(printed.parse::<Spec>().as_ref(), Ok(&spec), "{text:?} is printed as {printed:?}");
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}

/// What is asked of an exploration, and other words of the command.
pub(crate) fn question(_: &str, bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    if let Ok(question) = text.parse::<Question>() {
        assert_eq!(question.to_string().parse().as_ref(), Ok(&question), "{text:?}");
        assert!(!question.words().is_empty());
    }
    let _ = (Amount::parse(text), text.parse::<Slice>(), text.parse::<Strategy>());
}

/// Designs of a space that are made.
const DESIGNS: usize = 300;

/// A space, and its designs where they are few.
pub(crate) fn space(_: &str, bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let Ok(families) = Families::of(text) else { return };
    let designs = families.0.iter().map(|family| family.designs()).fold(0, usize::saturating_add);
    if designs > DESIGNS {
        return;
    }
    if let Ok(space) = Space::of("space.toml", text, &[program()]) {
        assert_eq!(space.designs.len(), designs);
        assert!(space.unique().all(|design| design.spec.to_string().parse().as_ref() == Ok(&design.spec)));
    }
}

/// A few requests of several sizes.
fn program() -> PackedTrace {
    let mut trace = Trace::new(Origin::new("fuzz", "none"));
    for (id, size) in (0..).zip([8, 66, 66, 66, 200, 1514, 1514, 4000]) {
        trace.events.push(Event::at(id, Action::Allocate { id, size: Bytes(size), alignment: 0 }));
    }
    PackedTrace::new(&trace).expect("it is valid")
}

/// A file of assertions.
pub(crate) fn check(_: &str, bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    match CheckFile::parse(Path::new("heap.toml"), text) {
        Ok(file) => drop(file.needs_base()),
        Err(error) => assert!(error.to_string().contains("heap.toml"), "{error}"),
    }
}

/// Figures that were saved.
pub(crate) fn saved(_: &str, bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    if let Ok(saved) = Saved::parse(text) {
        let again = saved.to_json();
        assert_eq!(Saved::parse(&again).expect("what was written is read").to_json(), again);
    }
}
