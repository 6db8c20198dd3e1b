"""The use case of keeping an index in step with its source: plan what differs, take it in, show it."""
