"""What memory costs: when the collector runs, how threads take turns, and what the allocator keeps of a large piece of work.

A vault of ten thousand notes is half a million objects that live as long as the daemon: looking through them for cycles
takes 50 ms and more, in the middle of somebody's search. Knows nothing of what the objects are.
"""

from __future__ import annotations

import ctypes
import gc
import sys
from contextlib import suppress

SWITCH = 0.0002
"""Seconds that a thread which computes holds the interpreter while another waits. A search changes threads twice, reads
files, and waits so long each time while notes are being indexed. Beside a thread that cuts texts into terms, by turns, p50
and p99 in ms: 0.5 ms 3.1-6.1 and 30-57, 0.2 ms 2.7-3.3 and 14-47, 0.1 ms the same; Python's 5 ms has a p99 four times
as long as 0.5. The other thread's pace is within 5 %."""

LARGE = 1024 * 1024
"""Bytes from which on a piece of memory is mapped by itself and goes back when it is freed. Left alone, glibc raises this to
32 MiB and keeps such pieces in its heaps: a first index of 10,000 notes peaked at 244 MB, so at 112; 30 clients that ask
for 240 answers of 3.6 MB and read none at 327 MB, of which 250 stayed, so at 188, of which nothing stayed."""
HEAPS = 1
"""Heaps that threads share. Left alone, glibc gives each thread one of its own, up to eight a core, and the text index has new
threads with every merge and opening: one unit a commit, 4,000 commits: 32 to 72 MB, and 111 where it was opened anew, of which
5 to 13 are in use; with one heap 40 to 41 from the 500th on, and less CPU (71 s for 81). Two grew from 50 to 57. Indexing 3,000
notes while two threads search takes the same time and CPU either way."""
_M_MMAP_THRESHOLD, _M_ARENA_MAX = -3, -8


def begin() -> None:
    """At the start: what is loaded now stays, no cycle in it is looked for."""
    gc.disable()
    sys.setswitchinterval(SWITCH)
    with suppress(OSError, AttributeError):  # other libraries than glibc have no such call
        libc = ctypes.CDLL(None)
        libc.mallopt(_M_MMAP_THRESHOLD, LARGE)
        libc.mallopt(_M_ARENA_MAX, HEAPS)


def settle() -> None:
    """After much was loaded: cycles go once, the rest is never looked through again, and free memory goes back."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(10_000, 20, 20)
    gc.enable()
    trim()


def trim() -> None:
    """glibc keeps what was freed in the middle of its heaps (32 MB of the words of 10,000 notes that were indexed); other
    libraries have no such call."""
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)
