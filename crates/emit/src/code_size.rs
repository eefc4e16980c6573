//! The code size of a spec: its C, emitted and compiled for one processor.

use heapsmith_output::Scratch;
use heapsmith_spec::Spec;

use crate::code::{self, CodeError};
use crate::size::{TARGETS, Target, size};

/// Measures the code of heaps for one processor, at `-Os`.
///
/// Cost: a run of a compiler, about 0.1 s, for every call of [`CodeSize::of`].
pub struct CodeSize {
    scratch: Scratch,
    target: &'static Target,
}

impl CodeSize {
    /// For the Cortex-M3 if its compiler is installed, else for the host.
    ///
    /// # Errors
    ///
    /// [`CodeError::Scratch`], if there is no folder for temporary files.
    pub fn new() -> Result<CodeSize, CodeError> {
        let cross = TARGETS.iter().find(|target| target.name == "Cortex-M3" && target.is_installed());
        CodeSize::for_target(cross.unwrap_or(&TARGETS[0]))
    }

    /// For this processor.
    ///
    /// # Errors
    ///
    /// [`CodeError::Scratch`], if there is no folder for temporary files.
    pub fn for_target(target: &'static Target) -> Result<CodeSize, CodeError> {
        Ok(CodeSize { scratch: Scratch::new()?, target })
    }

    /// The processor.
    pub fn target(&self) -> &'static Target {
        self.target
    }

    /// Bytes of text and data of a heap's C; none if it cannot be emitted.
    ///
    /// # Errors
    ///
    /// A compiler that is missing or fails; files that cannot be written.
    pub fn of(&self, spec: &Spec) -> Result<Option<u64>, CodeError> {
        if !code::write(spec, "own_heap", &self.scratch)? {
            return Ok(None);
        }
        let place = |name| self.scratch.path().join(name);
        let bytes = size(self.target, &place("own_heap.c"), &place("own_heap.o"))?;
        Ok(Some(bytes.text + bytes.data))
    }
}

#[cfg(test)]
mod tests {
    use super::CodeSize;
    use crate::size::TARGETS;

    #[test]
    fn the_code_of_a_heap_is_measured_and_one_without_a_template_has_none() {
        let host = CodeSize::for_target(&TARGETS[0]).expect("a folder");
        let of = |text: &str| host.of(&text.parse().expect("a spec")).expect("a compiler for this machine");
        assert!(of("tlsf").zip(of("fixed(64)")).is_some_and(|(tlsf, fixed)| fixed > 0 && tlsf > fixed));
        assert_eq!(of("buddy(knuth, start=one-block, defragment=on-demand)"), None);
    }
}
