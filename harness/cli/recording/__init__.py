"""fc-record's work: one conversation recorded live, promoted, imported, exported, or taken down by a proxy."""
