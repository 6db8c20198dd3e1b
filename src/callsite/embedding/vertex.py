"""How does one ask Google's Vertex AI? With the limits and tasks of its text-embedding models, without its SDK."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from pathlib import Path

from callsite.embedding.clock import Clock
from callsite.embedding.http import Http, KeySource
from callsite.embedding.openai import vector_of
from callsite.embedding.seam import estimate
from callsite.embedding.values import Limits
from callsite.errors import EmbedderUnreachable

MODEL = "text-embedding-005"
_DIMS = 768
_ITEMS, _TOKENS, _TOKENS_OF_ITEM = 250, 20_000, 2_048
_TASKS = {"document": "RETRIEVAL_DOCUMENT", "query": "CODE_RETRIEVAL_QUERY"}
_BYTES_PER_NUMBER, _BYTES_BESIDE = 64, 100_000


class Vertex:
    """An Embedder behind `POST …/models/{model}:predict`."""

    def __init__(
        self,
        project: str,
        *,
        token: str | Path | KeySource,
        model: str = MODEL,
        location: str = "us-central1",
        dims: int = _DIMS,
        base_url: str = "",
        items: int = _ITEMS,
        tokens: int = _TOKENS,
        tokens_of_item: int = _TOKENS_OF_ITEM,
        timeout: float = 60.0,
        proxy: str = "",
        verify: bool | str = True,
        clock: Clock | None = None,
    ) -> None:
        """`token`: an access token, what gives one, or the file in which something else keeps one that is valid.

        With fewer dims than the model has, its vectors are shortened. `base_url` is another address than Google's.
        """
        address = base_url or f"https://{location}-aiplatform.googleapis.com/v1"
        self._http = Http(address, key=token, timeout=timeout, proxy=proxy, verify=verify, clock=clock)
        self._path = f"/projects/{project}/locations/{location}/publishers/google/models/{model}:predict"
        self._limits = Limits(model=model, dims=dims, items=items, tokens=tokens, tokens_of_item=tokens_of_item)

    def __repr__(self) -> str:
        return f"Vertex({self._limits.model!r}, {self._http!r})"

    @property
    def limits(self) -> Limits:
        return self._limits

    def n_tokens(self, text: str) -> int:
        return estimate(text)

    def embed(self, texts: Sequence[str], *, purpose: str = "document") -> Sequence[array[float] | None]:
        task = _TASKS[purpose]
        body = {
            "instances": [{"content": text, "task_type": task} for text in texts],
            "parameters": {"outputDimensionality": self._limits.dims, "autoTruncate": False},
        }
        most = len(texts) * self._limits.dims * _BYTES_PER_NUMBER + _BYTES_BESIDE
        answer = self._http.post(self._path, body, most_bytes=most)
        predictions = answer.get("predictions") if isinstance(answer, dict) else None
        if not isinstance(predictions, list):
            raise EmbedderUnreachable("the answer of Vertex AI holds no predictions", may_be_input=True)
        return [_values(one) for one in predictions]

    def close(self) -> None:
        self._http.close()


def _values(prediction: object) -> array[float] | None:
    embeddings = prediction.get("embeddings") if isinstance(prediction, dict) else None
    return vector_of(embeddings.get("values")) if isinstance(embeddings, dict) else None
