"""memd: a daemon that keeps a vault of markdown notes searchable and turns talk into memory, written as markdown.

`ARCHITECTURE.md` beside this file is the map.
"""

__version__ = "0.1.0"
