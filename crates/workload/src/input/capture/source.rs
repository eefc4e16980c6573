//! A reader as the capture parser needs it: the parser takes a short read for the end of
//! the file, and forgets what an error said.

use std::cell::RefCell;
use std::io::{self, Read};
use std::rc::Rc;

/// The error at which reading stopped, if one did.
#[derive(Clone, Default)]
pub(super) struct Fault(Rc<RefCell<Option<io::Error>>>);

impl Fault {
    pub fn take(&self) -> Option<io::Error> {
        self.0.borrow_mut().take()
    }
}

/// Fills a buffer as far as it can, and keeps an error until somebody asks for it.
pub(super) struct Source<R> {
    reader: R,
    fault: Fault,
}

impl<R: Read> Source<R> {
    pub fn new(reader: R, fault: &Fault) -> Source<R> {
        Source { reader, fault: fault.clone() }
    }
}

impl<R: Read> Read for Source<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut fault = self.fault.0.borrow_mut();
        let mut filled = 0;
        while filled < buffer.len() && fault.is_none() {
            match self.reader.read(&mut buffer[filled..]) {
                Ok(0) => break,
                Ok(read) => filled += read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => *fault = Some(error),
            }
        }
        Ok(filled)
    }
}
