"""One run of a program's own agent, recorded or replayed: what `fc` is in a test."""
