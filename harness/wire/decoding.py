"""What a server compressed although it was asked not to: what is kept must be readable to be scrubbed."""

import zlib
from collections.abc import Callable

import httpx2


def as_it_is(chunk: bytes) -> bytes:
    """A chunk of an answer that is not compressed."""
    return chunk


def decoder_of(response: httpx2.Response, request: httpx2.Request) -> Callable[[bytes], bytes]:
    """What makes chunks readable; raises httpx2's own error where nothing does."""
    coding = response.headers.get("content-encoding", "identity").strip().lower()
    match coding:
        case "" | "identity":
            return as_it_is
        case "gzip" | "x-gzip":
            return zlib.decompressobj(zlib.MAX_WBITS | 16).decompress
        case "deflate":
            return zlib.decompressobj().decompress
        case _:
            raise httpx2.DecodingError(f"the answer is encoded in {coding}, though identity was asked", request=request)
