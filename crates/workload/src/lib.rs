//! Applications in miniature that turn real input into allocation traces
