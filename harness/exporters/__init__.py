"""Exporters: recordings as files of other tools. One file a format."""
