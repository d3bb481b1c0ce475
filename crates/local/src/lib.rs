//! The client of our own compiler.
