"""Which frames and errors does a text hold? Stack traces of many languages, wherever they stand, as values."""
