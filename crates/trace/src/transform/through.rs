//! A transform before a sink is a sink.

use crate::{Event, Sink, TraceError};

/// Changes events on their way.
pub(super) trait Transform {
    /// Takes the next event, and hands on what becomes of it.
    fn take(&mut self, event: Event, to: &mut dyn Sink) -> Result<(), TraceError>;

    /// Whether further events would be ignored.
    fn is_full(&self) -> bool {
        false
    }

    /// No event follows; what was held back is handed on.
    fn end(&mut self, _to: &mut dyn Sink) -> Result<(), TraceError> {
        Ok(())
    }
}

/// A transform, and where its events go.
pub(super) struct Through<'s, T> {
    pub transform: T,
    pub sink: Box<dyn Sink + 's>,
}

impl<T: Transform> Sink for Through<'_, T> {
    fn take(&mut self, event: Event) -> Result<(), TraceError> {
        self.transform.take(event, &mut self.sink)
    }

    fn name_site(&mut self, name: &str) {
        self.sink.name_site(name);
    }

    fn name_label(&mut self, text: &str) {
        self.sink.name_label(text);
    }

    fn is_full(&self) -> bool {
        self.transform.is_full() || self.sink.is_full()
    }

    fn end(&mut self) -> Result<(), TraceError> {
        self.transform.end(&mut self.sink)?;
        self.sink.end()
    }
}
