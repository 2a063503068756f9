"""Undo records that are too old to be asked for and keep nothing but memd's own words.

A version that a plan replaced is memd's own where an older plan had made those very bytes; any other may be the only copy
of a person's, and its record stays, as do those of notes that were moved, deleted or removed. Never removes anything.
"""

from __future__ import annotations

from memd.disk import keep
from memd.disk.listing import Stat
from memd.disk.paths import TRASH
from memd.disk.read import Body, read
from memd.model.errors import Refused
from memd.model.fingerprint import sha256
from memd.model.plan import Plan, Remove

PIECE = 100
"""Records that go at once, before others have their turn."""
_UNKNOWN = Body(b"", Stat(0, 0, 0, 0, 0, 0), "unreadable")


def spent(root: str, until: str) -> tuple[Plan, ...]:
    """What takes the records away whose stamp is before `until`. Of one whose result a later record replaced, only the
    versions go: it still says that those bytes are memd's own."""
    stamps = keep.undo_stamps(root)[::-1]
    if not stamps or stamps[0] >= until:
        return ()
    own, replaced = set[str](), set[str]()
    found: list[tuple[str, keep.Manifest, tuple[Remove, ...]]] = []
    for stamp in stamps:
        manifest = keep.undo_manifest(root, stamp)
        if manifest is None:
            continue
        versions = _versions(root, stamp, manifest, own) if stamp < until else None
        if versions is None:
            replaced |= {entry.before for entry in _writes(manifest)}
        else:
            found.append((stamp, manifest, versions))
        own |= {entry.after for entry in _writes(manifest)}
    steps = [(*versions, *_record(stamp, manifest, replaced)) for stamp, manifest, versions in found]
    pieces = (sum(steps[at : at + PIECE], ()) for at in range(0, len(steps), PIECE))
    return tuple(Plan(piece, ("undo records that are too old",)) for piece in pieces if piece)


def _writes(manifest: keep.Manifest) -> list[keep.Entry]:
    return [entry for entry in manifest.entries if entry.op == "write"]


def _versions(root: str, stamp: str, manifest: keep.Manifest, own: set[str]) -> tuple[Remove, ...] | None:
    """The versions that a record keeps, each memd's own; None where the record must stay."""
    found = []
    if len(_writes(manifest)) < len(manifest.entries):
        return None
    for entry in manifest.entries:
        if entry.kept and (body := _kept(root, stamp, entry)) is not None:
            if entry.before not in own or sha256(body.data) != entry.before:
                return None
            found.append(Remove(entry.kept, entry.before))
    return tuple(found)


def _kept(root: str, stamp: str, entry: keep.Entry) -> Body | None:
    """A record may have come from anywhere: one that names a file elsewhere has, as it were, an unknown version there."""
    if not entry.kept.startswith(f"{TRASH}/{stamp}/"):
        return _UNKNOWN
    try:
        return read(root, entry.kept, keep.LIMIT, own=True)
    except Refused:
        return _UNKNOWN


def _record(stamp: str, manifest: keep.Manifest, replaced: set[str]) -> tuple[Remove, ...]:
    if any(entry.after in replaced for entry in manifest.entries):
        return ()
    return (Remove(keep.manifest_path(stamp)),)
