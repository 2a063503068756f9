"""Every figure that ranks or bounds search, with the measurement that set it. Field weights are `memd.index.fields`.

LoCoMo: development half, turns, R@5/R@10. CMRC: development half, R@1. Counted as the data's README says.
"""

from __future__ import annotations

STOP = 0.05
"""A stop word beside other words. LoCoMo with neighbours: 1 .476/.548 (own words only), 0 .650/.730, 0.05 .655/.733."""

MANY_WORDS = 16
"""Beside so many words that say something, stop words are not asked at all: they would cost time and decide nothing."""

MOST_WORDS = 64
"""Distinct words of a query that are asked: a pasted page is asked by its beginning."""

MOST_ITEMS = 4096
"""Words, phrases and filters that are read of a query at all: a megabyte of text takes 30 ms."""

SAME = 3
"""Decimals to which scores are the same, so that recency decides: sums of the same parts in another order differ in the
seventh digit."""

NEARLY_ALL = 0.98
"""Share of the passages from which on the vectors count as whole: a save or two leave a few waiting."""

RELATED = 6
SNIPPET = 240
ANSWER_BYTES = 8000
"""Of eight hits as MessagePack; with what stands round them an answer stays below 8 KB (contract)."""

FIRST_FETCH = 16
"""Hits asked of the index at first; filters, copies and lineages take some away, and where the last one shown scores as
the last one fetched does, more is asked. Of 1,000 queries over 1k / 10k notes with 12 424 / 351 asked again, with 16
237 / 236, with 32 34 / 186; but 32 cost 0.7 ms more at 100k notes (the engine skips less)."""

FIRST_FUSED = 100
"""The same where meaning takes part: scores are placed between the first and the last hit, so that depth matters.
LoCoMo R@1/5/10 at 32: .346/.670/.770, at 100: .359/.670/.765; CMRC R@1 .989 and .990."""

FETCH_GROWTH = 8
MOST_FETCHED = 1024
"""Beyond, filters choose the paths first: at 10k notes choosing takes 15 ms, fetching 768 hits 1.5. Where more hits than
that are equal, recency decides among these."""

# retrieve -------------------------------------------------------------------------------------------------------------
# LoCoMo figures below: development half, turns, R@5/R@10, each added to the ones before, five dialogues, weights fitted on
# four and counted on the fifth. RealMem: development half, sessions before the query, R@5/R@10.

CANDIDATES = 200
"""Turns taken from words and from meaning each. LoCoMo: 100 .744/.812, 150 .743/.818, 200 .742/.821, all .741/.823."""

WORDS_SHARE, WORDS_ALONE = 4.6, 6.4
"""Of the score by words over its maximum; alone where meaning took no part. Words alone .654/.735, with meaning .665/.766."""

MEANING_SHARE = 5.4
MEANING_WIDTH, MEANING_DEEPEST = 0.1, 1.5
"""Of the similarity: how far it stands behind the best one, in tenths, at most 1.5. Not stretched between the extremes of
what was fetched: then the figures would hang on how much that is."""

NAMED_SPEAKER = 2.3
"""A turn of a person whom the question names. .665/.766 → .721/.800; words alone .654/.735 → .698/.775."""

TELLING = 2.2
"""For how much a turn says: the logarithm of its telling words over 3, at most 1.2. → .738/.814."""

ASKS = -0.9
"""A turn that ends in a question asks for what another one says. → .745/.818."""

SAYS_WHEN = 2.0
"""A turn with a word for a time, where the question asks when. → .746/.824; category 2 .797/.848 → .802/.873."""

RECENT = 2.0
"""The latest material over the oldest, where somebody goes on with a matter of their own (I, we, 我). RealMem .557/.709 →
.608/.750. Elsewhere not: LoCoMo, whose questions speak of others, would fall from .742/.821 to .730/.798."""

SESSION = 2.0
"""The words of a whole session, where somebody goes on with a matter of their own. RealMem .608/.750 → .619/.764, words
alone .578/.705 → .608/.727."""

ROLE = 1.5
"""A turn of the one whose words are asked for: "what did you recommend?", "我和你说过", "what do I like". MemoryBank's questions, marked
by hand, R@1/3/5: Chinese (100) .5 .65/.93/.98, 1 .72/.96/.99, 1.5 .72/.98/.99; English (98) .59/.87/.93, .64/.87/.94,
.66/.89/.94."""

IN_PERIOD = 4.0
"""Said in the days that the question names. What is told of a day may be said later: no gate. LoCoMo, words alone: 1
.727/.788, 2 .733/.789, 3 .735/.794, 4 .735/.796, 5 .737/.793. MemoryBank R@1/3/5: Chinese 3 .70/.94/.99, 4 .72/.96/.99, 5
.73/.96/.99; English .63/.87/.92, .64/.87/.94, .64/.88/.94."""

TELLING_WORDS = 256
"""Words of a question that are compared with what was found: more than are asked of the index, and cheap."""

SHORT = 12
"""Telling words of a question up to which "this week" in it bounds what changed; in a longer text it is part of a story."""

FAMILIAR = 0.83
"""Similarity from which a question of which no word is known has an answer by meaning. LoCoMo: the best turn of the
question's own dialogue is above .832 for 99 of 100, of another dialogue .839 in the median: doubt goes to the caller as
low confidence, not as silence."""

SHARED = 0.25
"""Of a memory's score, whose words or words and meaning are 1 at most: for the share of the question's words that it has.
LoCoMo's own observations as leaves, R@5/R@10 of those drawn from the gold turns, 661 questions. By words: 0 .611/.676, .25
.612/.681, .5 .618/.684, 1 .618/.687; with meaning: 0 .668/.751, .25 .666/.750, .5 .663/.748, 1 .660/.747."""

OWN = 0.25
"""For a memory about the owner, where somebody asks what they like or who they are. The same leaves, each speaker taken
for the owner in turn and the questions about them put as "I", 49 questions, by words, R@1/5/10: 0 .347/.483/.541, .1
.367/.503/.520, .25 .388/.503/.541, .5 .408/.503/.541, 1 .388/.456/.493."""

READ = 10
"""Notes, summaries and episodes whose body is looked into for a word of the question, where the snapshot has none. Passages
of CMRC as notes without a heading, words alone, every fourth question, R@1/5: 0 .000/.000, 1 .985/.985, 3 .985/.998, 10
and 30 .985/.998. As many as that for notes that share words with each other more than those do."""

MEMORIES = 60
"""Leaves, notes, summaries taken from words and from meaning each."""

WEAK = 0.35
"""Of the best memory's score, below which another one is left out of facts."""

SPEAKS, CLOSE = 0.6, 0.9
"""A fact has this share of the question's words that the best one has, or nearly the best score: of a person's leaves, all
of which have the name, those are told that speak of the matter."""
