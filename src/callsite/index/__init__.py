"""The embedded engine: a catalogue (SQLite, the truth) and a lexical index (tantivy, derived from it). Knows no git."""
