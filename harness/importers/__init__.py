"""Importers: what other tools wrote down, as recordings. One file a format."""
