"""Words that stand in nearly every text and tell texts apart least. Down-weighted beside others, never ignored alone."""

from __future__ import annotations

from memd.index.tokens import FUNCTION, is_run

ENGLISH = frozenset(
    """a about above after again against all also am an and any are as at be because been before being below between both
    but by can could d did didn do does doesn doing don down during each few for from further had has hasn have having he
    her here hers herself him himself his how i if in into is isn it its itself just ll m may me might more most my myself
    no nor not now of off on once only or other our ours ourselves out over own re s same shall she should so some such t
    than that the their theirs them themselves then there these they this those through to too under until up upon us ve
    very was wasn we were what when where which while who whom whose why will with would you your yours yourself
    yourselves""".split()
)


def is_stop(token: str) -> bool:
    """Whether a token of `index.tokens.words` is one; a run of CJK is when it has nothing but function characters."""
    return all(char in FUNCTION for char in token) if is_run(token) else token in ENGLISH
