//! The tests of `heapsmith-emit`: one program, which is linked once. A module is a subject.

#![allow(clippy::disallowed_methods, reason = "tests write the files that they read")]

mod checked;
mod cortex_m3;
mod differential;
mod emulated;
mod evidence;
mod examples;
mod freestanding;
mod handles;
mod hits;
mod interface;
mod lint;
mod portable;
mod preload;
mod recorder;
mod size;
mod systems;
