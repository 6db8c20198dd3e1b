"""How do texts become vectors? One seam for all models, a driver that asks them well, a cache that never pays twice.

Nothing of it knows stores, and only providers know HTTP.
"""

from __future__ import annotations

from callsite.embedding.cache import CacheStats, VectorCache, text_digest
from callsite.embedding.clock import Clock
from callsite.embedding.driver import Driver, embed_all
from callsite.embedding.fake import FakeEmbedder, hashed_vector
from callsite.embedding.onnx import OnnxModel
from callsite.embedding.openai import OpenAICompatible
from callsite.embedding.seam import Embedder, estimate
from callsite.embedding.values import Embedded, Keep, Limits, Policy
from callsite.embedding.vertex import Vertex

__all__ = [
    "CacheStats",
    "Clock",
    "Driver",
    "Embedded",
    "Embedder",
    "FakeEmbedder",
    "Keep",
    "Limits",
    "OnnxModel",
    "OpenAICompatible",
    "Policy",
    "VectorCache",
    "Vertex",
    "embed_all",
    "estimate",
    "hashed_vector",
    "text_digest",
]
