"""The one fingerprint function of memd (design section 2), the ids made from it, the hash of bytes, and texts as they are compared."""

from __future__ import annotations

import base64
import hashlib
import unicodedata


def fingerprint(*parts: str) -> str:
    """32 hex digits of blake2b over NFC text with white space collapsed; parts are kept apart."""
    text = "\x1f".join(one_line(unicodedata.normalize("NFC", part)) for part in parts)
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def one_line(text: str) -> str:
    """The text with runs of white space, line ends too, as one space."""
    return " ".join(text.split())


def make_id(prefix: str, *parts: str) -> str:
    """`prefix-` and 10 base32 characters, a function of the parts alone: two devices give one thing one id."""
    digest = bytes.fromhex(fingerprint(*parts))
    return f"{prefix}-{base64.b32encode(digest).decode().lower()[:10]}"


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def fold(text: str) -> str:
    """The form in which names are compared: NFC, case folded (design section 3, look-ups)."""
    return text.lower() if text.isascii() else unicodedata.normalize("NFC", text).casefold()
