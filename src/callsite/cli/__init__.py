"""The command line: translates words into calls of the public API, and answers into text, Markdown or JSON."""
