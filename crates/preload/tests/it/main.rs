//! The tests of `heapsmith-preload` but those of `threads`, which are a program without a harness.

mod page_guard;
