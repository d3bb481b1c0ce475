//! Loads code and runs plans.
