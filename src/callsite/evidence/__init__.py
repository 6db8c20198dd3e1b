"""What is known about a run: stack traces, errors and recordings, read into values; nothing here knows the index."""
