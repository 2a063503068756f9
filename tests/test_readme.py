"""The two READMEs say the same: the same headings in number and order, the same commands, letter for letter."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
ENGLISH, CHINESE = (ROOT / name for name in ("README.md", "README.zh-CN.md"))


def levels(path: Path) -> list[int]:
    return [len(found) for found in re.findall(r"^(#+) ", path.read_text(), re.M)]


def commands(path: Path) -> list[str]:
    """Indented lines that are typed: comments in either language are left out."""
    lines = re.findall(
        r"^    (?:\$ )?((?:\./|memd |claude |mkdir |journalctl |systemctl |loginctl ).*)$", path.read_text(), re.M
    )
    return [re.sub(r"\s+#.*", "", line) for line in lines]


def test_the_headings_are_in_step() -> None:
    """Every section of one README stands in the other, at the same level and place."""
    assert levels(ENGLISH) == levels(CHINESE)


def test_the_commands_are_the_same() -> None:
    """What is typed is the same in both, and there is something to type."""
    assert commands(ENGLISH) == commands(CHINESE)
    assert len(commands(ENGLISH)) > 10


def test_what_it_names_is_there() -> None:
    """Files and folders that the README sends a reader to exist."""
    named = re.findall(r"\]\(([\w./-]+)\)|`(tools/[\w.]+|config/[\w./-]+)`", ENGLISH.read_text())
    for link, code in named:
        assert (ROOT / (link or code)).exists(), link or code
