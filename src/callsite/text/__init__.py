"""Words, identifiers, paths and questions as pure functions: no files, no clock, no index."""
