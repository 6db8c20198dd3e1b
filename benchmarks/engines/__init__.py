"""One module per engine that is measured: how it is asked in process, and how as a command."""
