//! The tests of checks: one program, which is linked once. A module is a subject.

#![allow(clippy::disallowed_methods, reason = "tests write the files that they read")]

mod figures;
mod files;
mod program;
mod regressions;
mod schemas;
mod versions;
