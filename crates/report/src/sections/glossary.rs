//! The words of the page.

use crate::html::{Section, section as wrap};

/// The section.
pub fn section() -> Section {
    wrap("glossary", "Glossary", GLOSSARY)
}

const GLOSSARY: &str = "<dl class=\"facts\">\n\
    <dt>Baseline</dt><dd>The allocator that is used today; the pick is compared with it.</dd>\n\
    <dt>Design</dt><dd>One allocator of the explored space. Its number is the same in every table, file and command.</dd>\n\
    <dt>Spec</dt><dd>The text that describes an allocator. <code>heapsmith emit</code>, <code>run</code> and \
    <code>replay</code> accept it.</dd>\n\
    <dt>Pareto front</dt><dd>The designs that no other design beats in all compared objectives.</dd>\n\
    <dt>Peak live bytes</dt><dd>The most requested bytes that are live at one time. No allocator needs less.</dd>\n\
    <dt>Cost</dt><dd>Model cycles of an operation, counted: instructions, dependent loads, and lines that a model cache does not \
    hold.</dd>\n\
    <dt>Offline placement</dt><dd>A placement of all blocks by a program that knows the whole trace in advance.</dd>\n\
    <dt>Free list</dt><dd>Freed blocks of one size, kept for the next request of that size.</dd>\n\
    <dt>Splitting, coalescing</dt><dd>Cutting a free block that is larger than the request; joining free neighbours.</dd>\n\
    <dt>Granule</dt><dd>The unit in which block sizes are counted.</dd>\n\
    <dt>Hold-out</dt><dd>Traces on which the pick is evaluated and which did not choose it.</dd>\n\
    <dt>KB, MB</dt><dd>1,024 and 1,048,576 bytes.</dd>\n</dl>\n";
