"""How does one ask OpenAI, and all who speak like it: vLLM, Ollama, LiteLLM, LM Studio, TEI, llama.cpp?"""

from __future__ import annotations

import binascii
from array import array
from base64 import b64decode
from collections.abc import Sequence
from sys import byteorder

from callsite.embedding.clock import Clock
from callsite.embedding.http import Http, KeySource
from callsite.embedding.seam import estimate
from callsite.embedding.values import Limits
from callsite.errors import EmbedderUnreachable, SettingsError

OPENAI = "https://api.openai.com/v1"
#: Dimensions of OpenAI's models; those of its third generation can be asked for fewer.
_DIMS = {"text-embedding-3-small": 1_536, "text-embedding-3-large": 3_072, "text-embedding-ada-002": 1_536}
_BYTES_PER_NUMBER = 32
_BYTES_BESIDE = 100_000
_FORMATS = ("float", "base64")


class OpenAICompatible:
    """An Embedder behind `POST {base_url}/embeddings`."""

    def __init__(
        self,
        model: str,
        *,
        base_url: str = OPENAI,
        key: KeySource = "",
        dims: int = 0,
        ask_dims: bool | None = None,
        encoding: str = "float",
        items: int = 256,
        tokens: int = 100_000,
        tokens_of_item: int = 8_000,
        document_prefix: str = "",
        query_prefix: str = "",
        timeout: float = 60.0,
        proxy: str = "",
        verify: bool | str = True,
        clock: Clock | None = None,
    ) -> None:
        """`dims`: of its vectors, known for OpenAI's own models. `ask_dims`: say so in each request, so that the model
        shortens them; by default only to models of OpenAI that have more. `encoding`: float, or base64 where the
        server knows it, which is smaller. Prefixes are what a model wants before documents and questions.
        """
        own = _DIMS.get(model, 0)
        if not (dims or own):
            raise SettingsError(f"embedding: how many dimensions the vectors of {model} have is not known; give dims")
        if encoding not in _FORMATS:
            raise SettingsError(f"embedding: encoding has to be {' or '.join(_FORMATS)}, not {encoding!r}")
        self._http = Http(base_url, key=key, timeout=timeout, proxy=proxy, verify=verify, clock=clock)
        self._model = model
        self._encoding = encoding
        self._prefixes = {"document": document_prefix, "query": query_prefix}
        self._limits = Limits(
            model=f"{model} after {document_prefix!r}" if document_prefix else model,
            dims=dims or own,
            items=items,
            tokens=tokens,
            tokens_of_item=tokens_of_item,
        )
        self._asks_dims = bool(own and dims and dims != own) if ask_dims is None else ask_dims

    def __repr__(self) -> str:
        return f"OpenAICompatible({self._model!r}, {self._http!r})"

    @property
    def limits(self) -> Limits:
        return self._limits

    def n_tokens(self, text: str) -> int:
        return estimate(text) + len(self._prefixes["document"].encode())

    def embed(self, texts: Sequence[str], *, purpose: str = "document") -> Sequence[array[float] | None]:
        prefix = self._prefixes[purpose]
        body: dict[str, object] = {"model": self._model, "input": [prefix + text for text in texts]}
        if self._encoding != "float":
            body["encoding_format"] = self._encoding
        if self._asks_dims:
            body["dimensions"] = self._limits.dims
        most = len(texts) * self._limits.dims * _BYTES_PER_NUMBER * 2 + _BYTES_BESIDE
        return _vectors(self._http.post("/embeddings", body, most_bytes=most), len(texts))

    def close(self) -> None:
        self._http.close()


def _vectors(answer: object, n: int) -> list[array[float] | None]:
    """In the order of the texts, which the answer may number; what it says twice or of none is not believed."""
    data = answer.get("data") if isinstance(answer, dict) else None
    if not isinstance(data, list):
        raise EmbedderUnreachable("the answer of the provider holds no list of embeddings", may_be_input=True)
    entries = [one if isinstance(one, dict) else {} for one in data]
    places = [one.get("index") for one in entries]
    if len(entries) == n and all(place in (None, 0) for place in places):  # some number all of them 0
        return [vector_of(one.get("embedding")) for one in entries]
    found: list[array[float] | None] = [None] * n
    for place, one in zip(places, entries, strict=True):
        if isinstance(place, bool) or not isinstance(place, int) or not 0 <= place < n or places.count(place) > 1:
            raise EmbedderUnreachable("the answer of the provider numbers its embeddings otherwise", may_be_input=True)
        found[place] = vector_of(one.get("embedding"))
    return found


def vector_of(value: object) -> array[float] | None:
    """The numbers of a list, or of the Base64 of 32-bit floats; None for what is neither."""
    try:
        if isinstance(value, list):
            return array("f", value)
        if isinstance(value, str):
            numbers = array("f", b64decode(value, validate=True))
            if byteorder == "big":
                numbers.byteswap()
            return numbers
    except (TypeError, ValueError, OverflowError, binascii.Error):
        pass
    return None
