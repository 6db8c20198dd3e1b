"""What do recordings say about a run? Read, reduced to what may be kept, chosen and weighed; no index, no git."""
