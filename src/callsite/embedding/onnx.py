"""How does one embed without any server? With a model in the ONNX format and its tokenizer, on this machine's cores.

Knows onnxruntime, tokenizers and numpy. Nothing is downloaded: both files have to be there.
"""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from callsite.embedding.values import Limits
from callsite.errors import EmbedderRefused, EmbeddingError, SettingsError

_TOGETHER = 8  # texts of about equal length: more wait for each other's padding, and leave the processor's cache
_MASK = "attention_mask"


class OnnxModel:
    """An Embedder that runs a transformer: the mean of the last hidden states of a text's tokens, of length 1."""

    def __init__(
        self,
        model: str | Path,
        tokenizer: str | Path,
        *,
        name: str,
        tokens_of_item: int = 128,
        items: int = 64,
        threads: int = 0,
        document_prefix: str = "",
        query_prefix: str = "",
    ) -> None:
        """`tokenizer`: its tokenizer.json. `name`: by which the cache knows the model. `threads`: 0 for one per core.

        EmbedderRefused for files that can't be used.
        """
        try:
            import onnxruntime
            import tokenizers
        except ImportError as error:
            raise EmbeddingError(f"local models need {error.name}: pip install 'callsite[onnx]'") from error
        if tokens_of_item < 1 or items < 1:
            raise SettingsError("embedding: tokens_of_item and items have to be 1 or more")
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")  # others need the cores too
        try:
            self._session: Any = onnxruntime.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])
            self._tokenizer: Any = tokenizers.Tokenizer.from_file(str(tokenizer))
        except Exception as error:
            problem = " ".join(str(error).split())
            raise EmbedderRefused(f"the model {model} with {tokenizer} can't be used: {problem}") from error
        self._tokenizer.no_padding()
        self._tokenizer.no_truncation()
        self._inputs = {one.name for one in self._session.get_inputs()}
        self._prefixes = {"document": document_prefix, "query": query_prefix}
        dims = self._session.get_outputs()[0].shape[-1]
        if not isinstance(dims, int):
            raise EmbedderRefused(f"the model {model} does not say how many dimensions its vectors have")
        self._limits = Limits(
            model=f"{name} after {document_prefix!r}" if document_prefix else name,
            dims=dims,
            items=items,
            tokens_of_item=tokens_of_item,
        )

    @property
    def limits(self) -> Limits:
        return self._limits

    def n_tokens(self, text: str) -> int:
        """Exactly, with the prefix of documents and what the tokenizer adds."""
        return len(self._tokenizer.encode(self._prefixes["document"] + text).ids)

    def embed(self, texts: Sequence[str], *, purpose: str = "document") -> Sequence[array[float] | None]:
        prefix, most = self._prefixes[purpose], self._limits.tokens_of_item
        found: list[array[float] | None] = [None] * len(texts)
        encoded = [one.ids[:most] for one in self._tokenizer.encode_batch([prefix + text for text in texts])]
        by_length = sorted(range(len(texts)), key=lambda place: len(encoded[place]))
        for at in range(0, len(by_length), _TOGETHER):
            places = by_length[at : at + _TOGETHER]
            for place, vector in zip(places, self._run([encoded[place] for place in places]), strict=True):
                found[place] = vector
        return found

    def _run(self, ids: Sequence[Sequence[int]]) -> list[array[float]]:
        """The vectors of texts that are given as numbers of tokens."""
        import numpy

        longest = max(1, *map(len, ids))
        feed: Mapping[str, Any] = {
            "input_ids": numpy.array([[*one, *[0] * (longest - len(one))] for one in ids], numpy.int64),
            _MASK: numpy.array([[1] * len(one) + [0] * (longest - len(one)) for one in ids], numpy.int64),
            "token_type_ids": numpy.zeros((len(ids), longest), numpy.int64),
        }
        states = self._session.run(None, {name: feed[name] for name in self._inputs if name in feed})[0]
        if states.ndim == 3:  # one for each token
            mask = feed[_MASK][:, :, None]
            states = (states * mask).sum(axis=1) / mask.sum(axis=1).clip(1)
        lengths = numpy.linalg.norm(states, axis=1, keepdims=True)
        unit = numpy.divide(states, lengths, where=lengths > 0, out=numpy.zeros_like(states, numpy.float32))
        return [array("f", row.astype(numpy.float32).tobytes()) for row in unit]

    def close(self) -> None:
        """Nothing is open that does not end by itself."""
