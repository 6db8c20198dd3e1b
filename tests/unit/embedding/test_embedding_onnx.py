"""A model on this machine: a table of vectors for twelve tokens, in the format that real ones have."""

from __future__ import annotations

from base64 import b64decode
from math import hypot

import pytest
import tokenizers
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace

from callsite.embedding import Driver, OnnxModel, Policy
from callsite.errors import EmbedderRefused, SettingsError

#: Gather(table, input_ids) → last_hidden_state; made with the package `onnx`.
MODEL = """
CAg6zwIKLQoFdGFibGUKCWlucHV0X2lkcxIRbGFzdF9oaWRkZW5fc3RhdGUiBkdhdGhlchIBZyrQAQgMCAQQAUIFdGFibGVKwAEzM7M+hetRP8P1qD5m
Zqa/w/VoP2Zm5j5xPQq/4XoUP+xRuD7hepQ+j8L1PM3MDD+kcD2/Ctcjvo/C9b6amRk/CtcjPeF6lL4Urke/uB6FvgrXIzwpXI++uB6lP65HgT+kcC3A
hevxv3sULr49Cte+PQpXPq5HYT4UrgdAexSOv1yPwr5cjwJAZmYmP8P1KD9cjwK/MzPTv3sULj6uR+E9pHCdv3sULr8pXI+916Nwv83MzL3NzMw9Ctcj
PVyPAr9aHQoJaW5wdXRfaWRzEhAKDggHEgoKAxIBYgoDEgFzYikKEWxhc3RfaGlkZGVuX3N0YXRlEhQKEggBEg4KAxIBYgoDEgFzCgIIBEIECgAQDQ==
"""
WORDS = "nothing def class return self import from open close read write other".split()
FIRST, SECOND = (0.91, 0.45, -0.54, 0.58), (0.36, 0.29, 0.03, 0.55)  # rows of the table: of def and of class


@pytest.fixture
def files(tmp_path):
    (tmp_path / "model.onnx").write_bytes(b64decode(MODEL))
    vocabulary = {word: number for number, word in enumerate(WORDS)}
    tokenizer = tokenizers.Tokenizer(WordLevel(vocabulary, unk_token="other"))
    tokenizer.pre_tokenizer = Whitespace()
    tokenizer.save(str(tmp_path / "tokenizer.json"))
    return tmp_path / "model.onnx", tmp_path / "tokenizer.json"


def unit(numbers):
    return [number / hypot(*numbers) for number in numbers]


def test_a_text_has_the_mean_of_its_tokens(files):
    """Of length 1; dimensions come from the model, tokens are counted by its tokenizer."""
    model = OnnxModel(*files, name="table")
    mean = [(one + other) / 2 for one, other in zip(FIRST, SECOND, strict=True)]
    one, both = model.embed(["def", "class def"])
    assert list(one) == pytest.approx(unit(FIRST), abs=1e-6)
    assert list(both) == pytest.approx(unit(mean), abs=1e-6)
    assert (model.limits.dims, model.limits.model, model.n_tokens("def class x")) == (4, "table", 3)
    model.close()


def test_neighbours_change_nothing(files):
    """Texts of many lengths are padded together, and come back in their order."""
    model = OnnxModel(*files, name="table")
    texts = [" ".join(WORDS[number % 12] for number in range(start, start + 1 + start % 17)) for start in range(40)]
    alone = [model.embed([text])[0] for text in texts]
    for one, together in zip(alone, model.embed(texts), strict=True):
        assert list(one) == pytest.approx(list(together), abs=1e-6)


def test_a_long_text_is_cut_and_prefixes_go_before(files):
    """What is cut is said; questions have another prefix than documents, which is a part of the model's name."""
    model = OnnxModel(*files, name="table", tokens_of_item=3, document_prefix="class ", query_prefix="def ")
    with Driver(model, policy=Policy(concurrency=1)) as driver:
        short, long = driver.embed(["def", "def " * 50])
    assert (short.is_truncated, long.is_truncated) == (False, True)
    assert list(model.embed(["class"], purpose="query")[0]) == pytest.approx(list(model.embed(["def"])[0]), abs=1e-6)
    assert model.limits.model == "table after 'class '"


def test_a_text_without_tokens_has_no_direction(files):
    """Its vector is zero, which nobody keeps."""
    assert list(OnnxModel(*files, name="table").embed(["", "def"])[0]) == [0.0] * 4


def test_files_that_are_no_model_are_refused(files, tmp_path):
    """With what is wrong."""
    with pytest.raises(EmbedderRefused, match="can't be used"):
        OnnxModel(tmp_path / "none.onnx", files[1], name="x")
    with pytest.raises(EmbedderRefused, match="can't be used"):
        OnnxModel(files[0], files[0], name="x")
    with pytest.raises(SettingsError, match="1 or more"):
        OnnxModel(*files, name="x", tokens_of_item=0)
