"""How good and how fast is callsite, beside its peers? Knows callsite by its public names and its command only."""
