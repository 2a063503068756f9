"""What `memory.search` promises (contract), over the real text index."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from memd.index.port import Hit, VectorAnswer
from memd.model.errors import Refused
from memd.recall.search import search
from tests.fakes.recall import NOW, Asked, World, world

Texts = dict[str, str]


def make(tmp_path: Path, texts: Texts, **more: Any) -> World:
    return world(str(tmp_path / "words"), texts, **more)


def ask(at: World, query: str = "", **params: Any) -> dict[str, Any]:
    return search(at.vault, at.index, at.bodies, Asked(query=query, **params), NOW)


def paths(at: World, query: str = "", **params: Any) -> list[str]:
    return [hit["path"] for hit in ask(at, query, **params)["hits"]]


def test_field_weights(tmp_path: Path) -> None:
    """A title outranks a permalink, a permalink a tag, a tag the body."""
    at = make(
        tmp_path,
        {
            "one.md": "---\ntitle: Gyrfalcon\npermalink: first-aa01\ntags: [alpha]\n---\nSome plain words here.\n",
            "two.md": "---\ntitle: Seconds\npermalink: gyrfalcon-bb02\ntags: [alpha]\n---\nSome plain words here.\n",
            "three.md": "---\ntitle: Thirds\npermalink: third-cc03\ntags: [gyrfalcon]\n---\nSome plain words here.\n",
            "four.md": "---\ntitle: Fourths\npermalink: fourth-dd04\ntags: [alpha]\n---\nSome gyrfalcon words here.\n",
        },
    )
    assert paths(at, "gyrfalcon") == ["one.md", "two.md", "three.md", "four.md"]


@pytest.mark.parametrize(
    "query",
    ['"cormorant', "NOT cormorant", "-cormorant", "title:cormorant", "cormorant AND (", "[[Cormorant]]", "corm",
     "cormorant^4~2 [a TO z] {1 2} \\", "Cormorants", "(cormorant) " * 700, "cormorant \ud800", "ＣＯＲＭＯＲＡＮＴ"],
)  # fmt: skip
def test_punctuation_is_words(tmp_path: Path, query: str) -> None:
    """No spelling of a query is syntax that hides the note, and only the note with the word is found."""
    at = make(tmp_path, {"w.md": "The cormorant dries its wings.\n", "other.md": "Nothing of that kind here.\n"})
    assert paths(at, query)[:1] == ["w.md"]


@pytest.mark.parametrize(
    "query",
    [
        "AND",
        "OR OR NOT",
        "*",
        "🦆🪶",
        "' OR 1=1 --",
        "(" * 9000,
        "NOT " * 2500,
        "经纬仪三脚架" * 1600,
        "\x00",
        "[[",
        '""',
    ],
)
def test_strange_queries_are_answered(tmp_path: Path, query: str) -> None:
    """A query without a known word has no hits and no error; it never matches everything."""
    at = make(tmp_path, {f"m{n}.md": "Filler page about gravel.\n" for n in range(6)})
    assert paths(at, query) == []


def test_emoji_are_words(tmp_path: Path) -> None:
    """An emoji finds the notes that have it."""
    at = make(tmp_path, {"a.md": "Ducks 🦆 today\n", "b.md": "No birds\n"})
    assert paths(at, "🦆") == ["a.md"]


def test_one_chinese_character(tmp_path: Path) -> None:
    """One character is a query; the hit shows its line."""
    at = make(tmp_path, {"邻居.md": "隔壁养了一只橘猫，常在窗台晒太阳。\n", "小狗.md": "楼下的柯基每天七点出门。\n"})
    found = ask(at, "猫")["hits"]
    assert [hit["path"] for hit in found] == ["邻居.md"]
    assert "橘猫" in found[0]["snippet"]
    assert paths(at, "窗台晒太阳")[:1] == ["邻居.md"]
    assert paths(at, "的") == ["小狗.md"]


def test_mixed_scripts(tmp_path: Path) -> None:
    """Latin words glued to Chinese are found by either half."""
    at = make(tmp_path, {"a.md": "他用Rust写了个小工具，跑在NAS上。\n", "b.md": "周末去河边钓鱼。\n"})
    assert paths(at, "rust") == ["a.md"]
    assert paths(at, "NAS上的Rust工具")[:1] == ["a.md"]
    assert paths(at, '"Rust写了"') == ["a.md"]


def test_accents_case_and_width_fold(tmp_path: Path) -> None:
    """Accents, case and full width make no difference, in the note or in the query."""
    at = make(tmp_path, {"a.md": "Café Ｔｏｋｙｏ Straße\n", "b.md": "nothing\n"})
    assert [paths(at, word) for word in ("cafe", "CAFÉ", "tokyo", "STRASSE")] == [["a.md"]] * 4


def test_phrases_exclusion_and_or(tmp_path: Path) -> None:
    """Quotes want the words in order, a minus excludes, OR makes a phrase optional; `-x` with a filter filters."""
    at = make(
        tmp_path,
        {"a.md": "red tall ship\n", "b.md": "tall red ship\n", "c.md": "blue boat\n", "d/e.md": "blue kite\n"},
    )
    assert paths(at, '"tall red"') == ["b.md"]
    assert paths(at, "ship -blue") == ["b.md", "a.md"]
    assert paths(at, 'blue -"blue boat"') == ["d/e.md"]
    assert set(paths(at, '"tall red" OR "blue boat"')) == {"b.md", "c.md"}
    assert paths(at, "-ship path:.md") == ["d/e.md", "c.md"]


def test_prefix_of_the_last_word(tmp_path: Path) -> None:
    """The last word may be unfinished, also where stemming changes its end; a word before it may not."""
    at = make(tmp_path, {"a.md": "happiness in photography\n", "b.md": "plain\n"})
    assert [paths(at, q) for q in ("photog", "happine", "plain happines")] == [["a.md"], ["a.md"], ["b.md", "a.md"]]
    assert paths(at, "photog plain") == ["b.md"]


def test_inline_filters(tmp_path: Path) -> None:
    """`tag:`, `path:`, `[property:value]` and `[property]` filter, also with a minus."""
    at = make(
        tmp_path,
        {
            "x/a.md": "---\ntags: [Inbox/today]\nstate: open\n---\nprism\n",
            "y/b.md": "---\nstate: done\n---\nprism\n",
            "y/c.md": "prism\n",
        },
    )
    assert paths(at, "prism tag:inbox") == ["x/a.md"]
    assert paths(at, "prism path:y/") == ["y/c.md", "y/b.md"]
    assert paths(at, "prism [state:open]") == ["x/a.md"]
    assert set(paths(at, "prism [state]")) == {"x/a.md", "y/b.md"}
    assert paths(at, "prism -[state]") == ["y/c.md"]
    assert paths(at, "tag:inbox") == ["x/a.md"]


def test_filters_first(tmp_path: Path) -> None:
    """Tags together, type, folder and dates narrow before words count; a date alone is its whole day."""
    at = make(
        tmp_path,
        {
            "courses/optics.md": "---\ntype: course\ntags: [physics, term1]\nmodified: 2026-03-10T10:00:00+08:00\n---\nprism\n",
            "courses/waves.md": "---\ntype: course\ntags: [physics]\nmodified: 2026-05-10T10:00:00+08:00\n---\nprism\n",
            "journal/day.md": "---\ntype: journal\ntags: [term1]\nmodified: 2026-05-11T10:00:00+08:00\n---\nprism\n",
        },
    )
    assert paths(at, "prism", tags=("physics", "term1")) == ["courses/optics.md"]
    assert paths(at, "prism", type="journal") == ["journal/day.md"]
    assert paths(at, "prism", folder="courses", since="2026-05-01T00:00:00+08:00") == ["courses/waves.md"]
    assert paths(at, "prism", until="2026-05-10") == ["courses/waves.md", "courses/optics.md"]
    assert paths(at, "prism", until="2026-05-09") == ["courses/optics.md"]
    with pytest.raises(Refused, match="since"):
        ask(at, "prism", since="soon")


def test_a_selective_filter_reaches_past_the_best(tmp_path: Path) -> None:
    """A note that passes the filter is found, however many better ones do not pass."""
    texts = {f"n{n}.md": "gravel gravel gravel\n" for n in range(3000)}
    at = make(tmp_path, texts | {"deep/x.md": "a long line about other matters, and some gravel at its very end\n"})
    assert paths(at, "gravel", folder="deep") == ["deep/x.md"]


def test_without_words_the_newest_first(tmp_path: Path) -> None:
    """No query lists by modification, through the same filters."""
    at = make(tmp_path, {"a.md": "one\n", "b.md": "---\ntags: [t]\n---\ntwo\n", "c.md": "---\ntags: [t]\n---\nthree\n"})
    assert paths(at) == ["c.md", "b.md", "a.md"]
    assert paths(at, tags=("t",), limit=1) == ["c.md"]


def test_recency_breaks_ties_at_any_edge(tmp_path: Path) -> None:
    """Of equal matches the latest modified comes first, also when there are more of them than were asked for."""
    texts = {
        f"log{n:03}.md": f"---\ntitle: Log\npermalink: p\nmodified: 2026-01-{1 + n % 28:02}\n---\nsextant reading\n"
        for n in range(100)
    }
    at = make(tmp_path, texts)
    newest = sorted(texts, key=lambda path: (-int(texts[path].split("2026-01-")[1][:2]), path))
    assert paths(at, "sextant", limit=5) == newest[:5]
    first = ask(at, "sextant", limit=40)
    second = ask(at, "sextant", limit=40, cursor=first["cursor"])
    third = ask(at, "sextant", limit=40, cursor=second["cursor"])
    assert [hit["path"] for page in (first, second, third) for hit in page["hits"]] == newest
    assert third["cursor"] == ""


def test_a_rebuilt_index_answers_in_the_same_order(tmp_path: Path) -> None:
    """Written one by one or at once, the order of the answer is the same."""
    texts = {f"{n}.md": f"gauge {'brook ' * (n % 5)} weir {n}\n" for n in range(60)}
    at, fresh = make(tmp_path / "a", dict(list(texts.items())[:1])), make(tmp_path / "b", texts)
    from memd.index.passages import units
    from memd.index.port import Operations

    for path, note in fresh.vault.notes.items():
        at.index.text.apply(Operations(replace={path: units(note, texts[path])}))
        at.index.text.commit()
    at.vault, at.bodies = fresh.vault, fresh.bodies
    assert paths(at, "brook gauge", limit=60) == paths(fresh, "brook gauge", limit=60)


def test_sensitive_notes_show_nowhere(tmp_path: Path) -> None:
    """Neither as a hit nor as somebody's neighbour, unless asked for."""
    at = make(
        tmp_path,
        {
            "s1.md": "---\ntitle: Clinic letter\nsensitivity: sensitive\n---\nThe marjoram appointment.\n",
            "open.md": "marjoram seeds, compare [[s1]]\n",
        },
    )
    told = ask(at, "marjoram")
    assert [hit["path"] for hit in told["hits"]] == ["open.md"]
    assert "Clinic letter" not in str(told)
    assert "s1.md" in paths(at, "marjoram", include_sensitive=True)
    assert paths(at, include_sensitive=False) == ["open.md"]


def test_relations_are_told_and_never_rank(tmp_path: Path) -> None:
    """`related` has both directions with their relation; links change no order."""
    texts = {
        "top.md": "---\ntitle: Sousaphone\n---\nBrass.\n- belongs_to [[low]]\n\nSee [[hub1]].\n",
        "low.md": "---\ntitle: Band room\n---\nA sousaphone, some stands, many chairs and a long shelf of scores.\n",
    } | {f"hub{n}.md": "Reading list [[low]], [[low]] and again [[low]].\n" for n in range(1, 7)}
    hits = ask(make(tmp_path, texts), "sousaphone")["hits"]
    assert [hit["path"] for hit in hits] == ["top.md", "low.md"]
    assert [(r["relation"], r["title"], r["direction"]) for r in hits[0]["related"]] == [
        ("belongs_to", "Band room", "out"),
        ("links_to", "hub1", "out"),
    ]
    assert len(hits[1]["related"]) == 6


def test_the_answer_is_bounded(tmp_path: Path) -> None:
    """Eight hits with long titles, tags, lines and neighbours stay within 8 KB."""
    long = "很长的标题" * 60
    texts = {
        f"{'路径' * 20}/{n}.md": f"---\ntitle: {long}{n}\ntags: [{', '.join(f'标签{i}' * 9 for i in range(30))}]\n---\n{'甲乙丙丁' * 200}\n"
        + "".join(f"- relates_to [[{i}]]\n" for i in range(9))
        for n in range(9)
    }
    told = ask(make(tmp_path, texts), "甲乙")
    assert len(msgspec.msgpack.encode(told)) <= 8192
    assert len(told["hits"]) == 8
    assert all(len(hit["snippet"]) <= 240 for hit in told["hits"])


def test_the_snippet_has_line_and_heading(tmp_path: Path) -> None:
    """The line counts in the file, frontmatter included; the heading is the one above."""
    text = "---\ntitle: Trip\n---\n# Days\nrain\n\n## Coast\nWe saw Photographs of the bay.\n"
    hit = ask(make(tmp_path, {"t.md": text}), "photographing")["hits"][0]
    assert (hit["line"], hit["heading"]) == (8, "Coast")
    assert hit["snippet"].startswith("We saw Photographs")


def test_a_snippet_is_never_frontmatter(tmp_path: Path) -> None:
    """Found by its title or a property, a note shows its first words; one without a body shows nothing."""
    header = "---\ntitle: Plumbus\nmaker: Dinglebop\n---\n"
    at = make(tmp_path, {"a.md": header + "\nfirst words\n", "b.md": header})
    for asked in ("plumbus", "dinglebop"):
        hits = {hit["path"]: (hit["snippet"], hit["line"]) for hit in ask(at, asked)["hits"]}
        assert hits == {"a.md": ("first words", 6), "b.md": ("", 0)}


def test_copies_of_sync_engines_are_no_answers(tmp_path: Path) -> None:
    """A conflict copy does not stand beside its note; one whose note is not there is found."""
    at = make(tmp_path, {"a.md": "theodolite\n", "a.sync-conflict-20261130-120000-ABCDEFG.md": "theodolite\n"})
    assert paths(at, "theodolite") == ["a.md"]
    at = make(tmp_path / "alone", {"b (conflicted copy).md": "theodolite\n"})
    assert paths(at, "theodolite") == ["b (conflicted copy).md"]


def test_where_notes_went_is_no_relation(tmp_path: Path) -> None:
    """The page on which memory keeps the old names of moved notes links to them, and is nobody's neighbour."""
    at = make(tmp_path, {"a.md": "prism\n", "memory/_moved.md": "- `b` → [[a.md]]\n"})
    assert ask(at, "prism")["hits"][0]["related"] == []


def test_nothing_outside_the_sockets_folder(tmp_path: Path) -> None:
    """A socket that is bound to a folder sees nothing beside it, neighbours included."""
    at = make(tmp_path, {"in/a.md": "prism [[b]]\n", "out/b.md": "prism\n"})
    told = search(at.vault, at.index, at.bodies, Asked(query="prism"), NOW, "in")
    assert [hit["path"] for hit in told["hits"]] == ["in/a.md"]
    assert told["hits"][0]["related"] == []


def test_names_that_are_not_utf8(tmp_path: Path) -> None:
    """A file with such a name is found, and its path comes percent-escaped."""
    at = make(tmp_path, {"a\udcff.md": "theodolite\n"})
    assert paths(at, "theodolite") == ["a%FF.md"]


def test_vectors_that_are_off_leave_text_alone(tmp_path: Path) -> None:
    """Hybrid without vectors is text search, and says why."""
    at = make(tmp_path, {"a.md": "theodolite\n"})
    told = ask(at, "theodolite", mode="hybrid")
    assert [hit["path"] for hit in told["hits"]] == ["a.md"]
    assert told["vector"] == {"used": False, "why": "off"}


def test_hits_by_meaning_join(tmp_path: Path) -> None:
    """What only meaning finds is an answer, shown by its passage; what the query excludes is not."""
    pytest.importorskip("memd.recall.fuse", reason="fusion is not there")
    at = make(tmp_path, {"a.md": "theodolite\n", "b.md": "x\n\nsurveying tools\n", "c.md": "surveying old\n"})
    hits = (Hit("b.md", "b.md", 0.9, 3), Hit("c.md", "c.md", 0.8, 1))
    at.index.answer = VectorAnswer(hits, True)
    found = ask(at, "theodolite -old", mode="hybrid")["hits"]
    assert {hit["path"] for hit in found} == {"a.md", "b.md"}
    assert next(hit for hit in found if hit["path"] == "b.md")["line"] == 3


def test_a_word_that_stands_in_one_note_is_found_first_while_the_model_reads_the_vault(tmp_path: Path) -> None:
    """The note has no vector yet, so the likest of what has one is no better answer; of a save's few it may be."""
    at = make(tmp_path, {"租约.md": "押金两个月\n", "budget.md": "forty euros\n", "piano.md": "a new string\n"})
    hits = (Hit("budget.md", "budget.md", 0.9, 1, True), Hit("piano.md", "piano.md", 0.8, 1))
    first = {}
    for read in (0.01, 0.99):
        at.index.answer = VectorAnswer(hits, True, read=read)
        first[read] = ask(at, "押金", mode="hybrid")["hits"][0]["path"]
    assert first == {0.01: "租约.md", 0.99: "budget.md"}


@pytest.mark.parametrize("mode", ["text", "vector", "hybrid"])
def test_parts_of_a_score_add_up(tmp_path: Path, mode: str) -> None:
    """With `explain` a hit says what words and what meaning brought to its score, in every mode, foreign hits too."""
    at = make(tmp_path, {"a.md": "theodolite\n", "b.md": "theodolite, some surveying tools\n", "c.md": "经纬仪\n"})
    hits = (Hit("c.md", "c.md", 0.9, 1, True), Hit("b.md", "b.md", 0.8, 1), Hit("a.md", "a.md", 0.5, 1))
    at.index.answer = VectorAnswer(hits, True)
    found = ask(at, "theodolite", mode=mode, explain=True)["hits"]
    assert len(found) == (2 if mode == "text" else 3)
    for hit in found:
        assert hit["why"]["text"] + hit["why"]["meaning"] == pytest.approx(hit["score"], abs=0.0002)
    if mode == "hybrid":
        both = next(hit for hit in found if hit["path"] == "b.md")["why"]
        assert min(both["text"], both["meaning"]) > 0
