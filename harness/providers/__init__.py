"""Dialects: what a request and an answer of each API mean, and how our turns look on its wire. Pure functions."""
