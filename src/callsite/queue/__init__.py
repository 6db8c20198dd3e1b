"""What has to be looked at again? References in a queue, and the loop of those who work it off.

`callsite.queue.sqlite` and `callsite.queue.postgres` keep queues; they are imported by whoever opens one.
"""

from callsite.queue.drain import drain
from callsite.queue.reference import Reference, parsed, text_of
from callsite.queue.seam import DeadLetters, Queue
from callsite.queue.values import (
    GROWING,
    LIMITED,
    NEVER,
    Batch,
    DeadLetter,
    Failed,
    Policy,
    Statistics,
    Taken,
)
from callsite.queue.working import Handler, Preprocessor, Report, Sorted, Work

__all__ = [
    "GROWING",
    "LIMITED",
    "NEVER",
    "Batch",
    "DeadLetter",
    "DeadLetters",
    "Failed",
    "Handler",
    "Policy",
    "Preprocessor",
    "Queue",
    "Reference",
    "Report",
    "Sorted",
    "Statistics",
    "Taken",
    "Work",
    "drain",
    "parsed",
    "text_of",
]
