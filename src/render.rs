//! From an entity to the lean JSON that an agent reads.
