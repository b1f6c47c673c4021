"""The three commands. Thin: parse, one call, print, exit code."""
