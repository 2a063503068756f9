"""The only code that touches the vault: listing, diff, stable reads, the watcher, the hold rule, the one writer.

Knows paths, bytes, stats and hashes. Never knows what a note means, who asks, or what an index holds.
"""
