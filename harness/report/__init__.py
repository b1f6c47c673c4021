"""Reports: what the verdicts of a run add up to, as values, as files and for people."""
