"""One step put into effect: replace, create, move, remove, each compared after the fact and undone where it was wrong.

Knows two names and the hash that was expected. Loses no save: what is displaced is either what was expected (and held
until nobody writes it), or goes back to its place, or is kept. Merges nothing.
"""

from __future__ import annotations

from memd.disk import stage
from memd.disk.aside import Asides
from memd.disk.exchange import Beaten, Spot, place, put, replace, unlink
from memd.disk.paths import show
from memd.disk.quiet import PATIENCE, Seen, look
from memd.disk.site import Site
from memd.model.errors import Refused
from memd.model.plan import Displaced, Done, Receipt

_ROUNDS = 8


def create(site: Site, hand: str, ours: str) -> Receipt:
    """The file in hand stands where nothing stood; the same bytes already there are as good."""
    try:
        place((site.side, hand), site.target)
    except FileExistsError:
        seen = look(*site.target, PATIENCE)
        unlink((site.side, hand))
        if seen is not None and seen.sha == ours:
            return Done(site.path, ours)
        return Displaced(site.path, seen.data if seen else b"")
    return Done(site.path, ours)


def overwrite(site: Site, hand: str, ours: str, expect: str | None, asides: Asides) -> Receipt:
    """The file in hand stands where one with the expected hash (None: any) stood.

    Raises Refused when what stands there is no regular file; it stays.
    """
    spot = site.aside(ours, expect)
    if site.way == "exchange":
        replace((site.side, hand), spot)
        mine = spot
    else:
        mine = (site.side, hand)
    try:
        old = put(mine, site.target, spot, site.way)
    except FileNotFoundError:
        unlink(mine)
        return Displaced(site.path, None)
    except Beaten as beaten:
        unlink(mine)
        return _beaten(site, beaten.spot, expect, asides)
    except OSError:
        unlink(mine)
        raise
    seen = look(*old, PATIENCE)
    if seen is not None and (expect is None or seen.sha in (expect, ours)):
        asides.hold(site.path, site.folder, old[1], seen)
        return Done(site.path, ours)
    return Displaced(site.path, _put_back(site, old, ours, seen, asides))


def _beaten(site: Site, old: Spot, expect: str | None, asides: Asides) -> Displaced:
    seen = look(*old, PATIENCE)
    if seen is not None and seen.sha == expect:
        asides.hold(site.path, site.folder, old[1], seen)
    else:
        asides.keep(site.path, site.folder, old[1])
    now = look(*site.target, PATIENCE)
    return Displaced(site.path, now.data if now else None)


def _put_back(site: Site, hand: Spot, stands: str, held: Seen | None, asides: Asides) -> bytes:
    """What was displaced returns; the answer is its bytes.

    A save that came in between is newer still: then that one goes back to the place, and the older one is kept.
    """
    for turn in range(_ROUNDS):
        try:
            out = put(hand, site.target, site.aside(stands, held.sha if held else None), site.way)
        except FileNotFoundError:
            if _returned(hand, site.target):
                break
            continue
        except Beaten as beaten:
            asides.keep(site.path, site.folder, hand[1])
            hand, held, stands = beaten.spot, look(*beaten.spot), ""
            continue
        seen = look(*out, PATIENCE)
        if seen is not None and seen.sha == stands:
            if turn == 0:
                asides.hold(site.path, site.folder, out[1], seen)
            else:
                asides.keep(site.path, site.folder, out[1])
            break
        hand, held, stands = out, seen, held.sha if held else ""
    else:
        asides.keep(site.path, site.folder, hand[1])
        held = look(*site.target, PATIENCE)
    if held is None:
        raise Refused("outside_vault", f"{show(site.path)} is a link or a device, not a note; memd leaves it alone")
    return held.data


def _returned(hand: Spot, target: Spot) -> bool:
    """Somebody removed the file meanwhile: the save in hand stands there again, unless somebody made another."""
    try:
        place(hand, target)
    except FileExistsError:
        return False
    return True


def remove(site: Site, expect: str | None, asides: Asides) -> Receipt:
    """The file is taken away, and let go when nobody writes it. Nothing there is as good."""
    spot = site.aside(stage.GONE, expect)
    try:
        place(site.target, spot)
    except FileNotFoundError:
        return Done(site.path, "")
    seen = look(*spot, PATIENCE)
    if seen is not None and (expect is None or seen.sha == expect):
        asides.hold(site.path, site.folder, spot[1], seen, prune=True)
        return Done(site.path, "")
    try:
        place(spot, site.target)
    except FileExistsError:
        asides.keep(site.path, site.folder, spot[1])
        seen = look(*site.target, PATIENCE)
    return Displaced(site.path, seen.data if seen else b"")
