"""Evidence: what people and repeated runs say of a report, bound to it by hash, and what may be concluded from it."""
