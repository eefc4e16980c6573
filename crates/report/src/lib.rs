//! Figures and the self-contained page of an exploration
