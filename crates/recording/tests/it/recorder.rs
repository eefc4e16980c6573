//! The recorder on real programs: compiled here, or from the distribution.

mod agreement;
mod ends;
mod functions;
mod made;
mod own_functions;
mod processes;
mod programs;
mod rotation;
mod sample;
mod sites;
mod threads;
