"""Runs of a suite: planned, recorded trial by trial, kept on the disk, and read again."""
