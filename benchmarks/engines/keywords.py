"""What would a person type into grep for this question? Its words without those that every sentence has."""

from __future__ import annotations

import re

STOP_WORDS = frozenset(
    "a about after all also am an and any are as at be because been before being but by can could did do does doing "
    "for from get gets had has have having how i if in instead into is it its me my no not of on only or other our out "
    "over should so some such than that the their them then there these they this those through to under up use used "
    "uses using was way we were what when where which while who why will with would you your".split()
)
MOST_KEYWORDS = 60  # a long report has hundreds of words; nobody greps for more


def keywords(question: str) -> list[str]:
    """Distinct words of at least two characters in the order of the question, stop words left out."""
    words = (word for word in re.findall(r"\w+", question.lower()) if len(word) > 1 and not word.isdecimal())
    kept = dict.fromkeys(word for word in words if word not in STOP_WORDS)
    return list(kept)[:MOST_KEYWORDS]
