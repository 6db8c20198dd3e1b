"""S2, S9: the recordings that a question asks for come first, and their functions weigh what they say."""

from __future__ import annotations

import pytest
from appmap_samples import WORDS, back, call, parsed, thrown
from hypothesis import given
from hypothesis import strategies as st

from callsite.evidence.appmap.choose import choose
from callsite.evidence.appmap.entry import entry_of
from callsite.evidence.appmap.weights import location_weights
from callsite.values import replace


def entry(name, *functions, parameters=(), **metadata):
    """A recording that calls functions one after another."""
    events = []
    for index, function in enumerate(functions):
        said = [{"name": one, "class": "str"} for one in parameters]
        events.append(call(2 * index + 1, f"A.{function}", f"app/{function}.py", index + 1, parameters=said))
        events.append(back(2 * index + 2, 2 * index + 1))
    made = entry_of(parsed(*events, metadata={"name": name, **metadata}), words=WORDS)
    return replace(made, file=name)


def failing(name, *functions, message="boom", error="Broken"):
    """A recording whose functions call each other; the last raises, nobody catches."""
    n_functions = len(functions)
    down = [call(i + 1, f"A.{function}", f"app/{function}.py", i + 1) for i, function in enumerate(functions)]
    up = [back(100 + i, n_functions - i, **thrown(error, message)) for i in range(n_functions)]
    facts = {"name": name, "test_status": "failed", "exception": {"class": error, "message": message}}
    return replace(entry_of(parsed(*down, *up, metadata=facts), words=WORDS), file=name)


def terms(text):
    return dict.fromkeys(WORDS.terms(text), 1.0)


def chosen_names(entries, question, **options):
    return [entries[one.position].name for one in choose(entries, terms(question), **options)]


def test_s2_the_recording_that_the_question_describes_comes_first():
    """By any of its keywords."""
    entries = [entry("cart total", "add_item"), entry("mail", "send_letter"), entry("login", "check_password")]
    assert chosen_names(entries, "how is a letter sent")[0] == "mail"
    assert chosen_names(entries, "the total is wrong")[0] == "cart total"


def test_s2_what_matches_nothing_is_not_chosen():
    """There is no share reserved for recordings."""
    entries = [entry("cart", "add_item"), entry("mail", "send_letter")]
    assert choose(entries, terms("sphinx theme")) == ()
    assert choose(entries, {}) == ()
    assert choose([], terms("cart")) == ()


def test_s9_a_term_of_most_recordings_does_not_rank_at_random():
    """AppMap's own search gives all of them a score of nearly nothing, and the order is noise."""
    entries = [entry(f"case {index}", "open_session", f"other{index}") for index in range(20)]
    entries.append(entry("session cookie", "open_session", "session_cookie"))
    assert chosen_names(entries, "session cookie") == ["session cookie"]
    alone = choose(entries, terms("session"))
    assert entries[alone[0].position].name == "session cookie"
    assert alone[0].score > 0.05


def test_s9_recordings_that_went_the_same_ways_count_once():
    """Parametrised tests do not fill the answer; the others are its twins."""
    entries = [entry(f"prefix[{index}]", "register", "prefix") for index in range(26)]
    entries.append(entry("prefix other", "register", "prefix", "nothing", "else"))
    chosen = choose(entries, terms("register prefix"))
    assert len(chosen) == 2
    assert sorted(len(one.twins) for one in chosen) == [0, 25]


def test_s9_nearly_the_same_ways_are_the_same():
    """Nine functions of ten."""
    functions = [f"f{index}" for index in range(30)]
    entries = [entry("walk a", *functions), entry("walk b", *functions, "one_more")]
    assert len(choose(entries, terms("walk"))) == 1


def test_s9_a_failed_test_is_preferred():
    """Of two that match alike."""
    entries = [entry("pay twice", "pay", "book"), failing("pay once", "pay", "charge")]
    assert chosen_names(entries, "pay")[0] == "pay once"


def test_s9_an_exception_that_the_question_names_is_preferred():
    """Its class, as one word."""
    entries = [failing("a", "pay", "x", error="app.OtherError"), failing("b", "pay", "y", error="app.CardRefused")]
    chosen = choose(entries, terms("pay raises CardRefused"), given=[0, 1])
    assert [(entries[one.position].name, one.named_exceptions) for one in chosen] == [("b", (0,)), ("a", ())]


def test_s9_a_stale_recording_is_weighed_down_and_says_so():
    """It is not dropped."""
    entries = [entry("pay a", "pay"), entry("pay b", "pay", "x", "y", "z")]
    first, second = choose(entries, terms("pay"), stale=[0])
    assert (entries[first.position].name, first.stale, second.stale) == ("pay b", False, True)
    assert any(reason.label == "stale" for reason in second.reasons)
    weights = location_weights([second], entries)
    assert weights[0].sentence == "called in pay a (recording, out of date)"


def test_s9_given_recordings_are_all_taken():
    """Also when they match nothing, and beyond the number asked for; nothing that was given is a twin."""
    entries = [entry("cart", "add_item"), entry("cart", "add_item"), entry("mail", "send")]
    chosen = choose(entries, terms("mail"), given=[0, 1], at_most=1)
    assert [(one.position, one.given) for one in chosen] == [(0, True), (1, True)]
    assert min(one.score for one in chosen) == pytest.approx(0.8)


def test_s9_positions_that_do_not_exist_are_nobody():
    """Neither given nor stale."""
    assert choose([entry("a", "pay")], terms("pay"), given=[7, -1], stale=[9])[0].position == 0


def test_s9_exception_frames_weigh_most_and_fall_with_distance():
    """The deepest is strongest; a plain call of another recording is weaker than all."""
    entries = [failing("pay fails", "outer", "middle", "deep"), entry("pay works", "pay", "print_bill")]
    weights = location_weights(choose(entries, terms("pay fails with boom")), entries)
    assert [one.fqid.rpartition("#")[2] for one in weights[:3]] == ["deep", "middle", "outer"]
    assert {one.kind for one in weights[:3]} == {"exception"}
    assert weights[0].sentence == "called in pay fails (recording), raised Broken"
    assert weights[1].sentence == "called in pay fails (recording), 1 frame above Broken"
    assert weights[2].sentence == "called in pay fails (recording), 2 frames above Broken"


def test_s9_a_failed_test_says_more_than_one_that_passed():
    """Of functions that are called alike, in recordings that were both given."""
    entries = [entry("pay a", "lost", test_status="failed"), entry("pay b", "found", test_status="succeeded")]
    lost, found = location_weights(choose(entries, {}, given=[0, 1]), entries)
    assert (lost.kind, found.kind) == ("failing test", "call")
    assert found.weight == pytest.approx(0.6 * lost.weight)


def throwing(status):
    """A recording with a frame of an exception, and with a plain call that does as much work."""
    called = [call(1, "A.deep", "app/deep.py", 1), back(2, 1, **thrown("app.CardRefused", "no"))]
    beside = [call(3, "A.plain", "app/plain.py", 1), back(4, 3)]
    facts = {"name": "pay", "test_status": status} if status else {"name": "pay"}
    return replace(entry_of(parsed(*called, *beside, metadata=facts), words=WORDS), file="pay")


@pytest.mark.parametrize("status", ["", "succeeded", "failed"])
def test_s9_a_frame_of_an_exception_says_more_than_a_plain_call(status):
    """In each recording, whether it is of a test or not."""
    entries = [throwing(status)]
    frame, plain = location_weights(choose(entries, {}, given=[0]), entries)
    assert (frame.kind, frame.weight > 1.2 * plain.weight) == ("exception", True)


def test_s9_exceptions_of_a_test_that_passed_are_part_of_the_plan():
    """They tell of no failure, unless the question names them."""
    entries = [throwing("succeeded")]

    def strength(question):
        frame = location_weights(choose(entries, terms(question), given=[0]), entries)[0]
        return frame.reasons[0].value

    assert (strength("pay"), strength("pay raises CardRefused")) == (0.6, 1.0)


def test_s9_what_a_failed_test_called_says_how_far_from_its_end():
    """For people; it does not weigh."""
    entries = [entry("pay", "first", "last", test_status="failed")]
    weights = location_weights(choose(entries, terms("pay")), entries)
    assert {(one.kind, one.sentence.removeprefix("called in pay (recording), ")) for one in weights} == {
        ("failing test", "which failed, 1 call before the end"),
        ("failing test", "which failed, 2 calls before the end"),
    }
    assert weights[0].weight == weights[1].weight


def test_s9_a_function_of_most_recordings_says_little():
    """Rarity counts over all of them, twins once."""
    entries = [entry(f"pay {index}", "everywhere", f"only{index}") for index in range(20)]
    by_name = {
        one.fqid.rpartition("#")[2]: one.weight for one in location_weights(choose(entries, terms("pay 3")), entries)
    }
    assert by_name["only3"] > 4 * by_name["everywhere"]


def test_s9_the_factors_of_a_weight_give_the_weight():
    """So that it can be explained."""
    entries = [failing("pay fails", "outer", "deep"), entry("pay works", "pay")]
    for one in location_weights(choose(entries, terms("pay")), entries):
        product = 1.0
        for reason in one.reasons:
            product *= reason.value
        assert one.weight == pytest.approx(min(1.0, product))


def test_functions_without_a_source_weigh_nothing():
    """Nobody could find them."""
    made = entry_of(parsed(call(1, "String.to_s", "String#to_s", None), back(2, 1)), words=WORDS)
    assert location_weights(choose([made], terms("sample string")), [made]) == ()


NAMES = st.sampled_from("pay cart login mail session token parse".split())


@given(
    st.lists(st.tuples(st.lists(NAMES, min_size=1, max_size=4), st.booleans()), max_size=8),
    st.dictionaries(NAMES.map(lambda name: WORDS.terms(name)[0]), st.floats(-1, 5), max_size=5),
    st.sets(st.integers(-1, 9)),
    st.sets(st.integers(-1, 9)),
)
def test_s5_scores_and_weights_are_bounded(recorded, asked, given_ones, stale):
    """From 0 to 1, each place once, in order."""
    entries = [
        failing(f"test {index}", *names) if fails else entry(f"test {index}", *names)
        for index, (names, fails) in enumerate(recorded)
    ]
    chosen = choose(entries, asked, given=given_ones, stale=stale)
    assert all(0 <= one.score <= 1 for one in chosen)
    assert {one.position for one in chosen if one.given} == given_ones & set(range(len(entries)))
    weights = location_weights(chosen, entries)
    assert all(0 <= one.weight <= 1 for one in weights)
    assert [one.weight for one in weights] == sorted((one.weight for one in weights), reverse=True)
    assert len({(one.path, one.line, one.fqid) for one in weights}) == len(weights)
