//! The code of a design, compiled: an objective.

use heapsmith_emit::size::{TARGETS, Target, size};
use heapsmith_emit::{EmitError, File, Name, Request, SizeError, c};
use heapsmith_output::Scratch;
use heapsmith_spec::Spec;

use crate::console::note;
use crate::failure::Failure;

/// Compiles emitted C for one processor.
pub struct Compiler {
    scratch: Scratch,
    target: Option<&'static Target>,
}

impl Compiler {
    /// A folder to compile in.
    pub fn new() -> Result<Compiler, Failure> {
        Ok(Compiler { scratch: Scratch::new().map_err(|error| Failure::scratch(&error))?, target: None })
    }

    /// Bytes of text and data of a heap's C; none where it cannot be emitted.
    pub fn size(&mut self, spec: &Spec) -> Result<Option<u64>, Failure> {
        let request = Request { spec: spec.clone(), name: Name::new("own_heap")?, figures: None };
        let files = match c::emit(&request) {
            Ok(files) => files,
            Err(EmitError::NotYet { .. }) => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        for File { name, text } in files {
            self.scratch.write(name, text).map_err(|error| Failure::scratch(&error))?;
        }
        let source = self.scratch.path().join("own_heap.c");
        let object = self.scratch.path().join("own_heap.o");
        let target = match self.target {
            Some(target) => target,
            None => {
                let cross = TARGETS.iter().find(|target| target.name == "Cortex-M3").unwrap_or(&TARGETS[0]);
                let missing = matches!(size(cross, &source, &object), Err(SizeError::Missing { .. }));
                let target = if missing { &TARGETS[0] } else { cross };
                note!("code size: text and data at -Os for {}", target.name);
                self.target.insert(target)
            }
        };
        let bytes = size(target, &source, &object)?;
        Ok(Some(bytes.text + bytes.data))
    }
}
