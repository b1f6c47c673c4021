"""The judge: one engine that decides whether a trace keeps what is expected of it."""
