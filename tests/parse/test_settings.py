"""The config file."""

from __future__ import annotations

import os
import re

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memd.model.config import Config
from memd.parse.settings import again, load

SHIPPED = os.path.join(os.path.dirname(__file__), "..", "..", "config", "memd.toml")


def shipped() -> str:
    with open(SHIPPED, encoding="utf-8") as file:
        return file.read()


def test_the_shipped_file_changes_nothing():
    """As it is, every default holds."""
    assert load(shipped()) == (Config(), ())


def test_the_shipped_file_documents_every_key_with_its_default():
    """With every key taken out of its comment: the defaults exactly, and no key is missing."""
    text = re.sub(r"(?m)^#(?=[a-z_]+ = )", "", shipped())
    assert load(text) == (Config(), ())
    for section in msgspec.structs.fields(Config):
        kinds = msgspec.structs.fields(type(section.default)) if section.default != () else ()
        for key in kinds:
            assert re.search(rf"(?m)^{key.name} = ", text), f"[{section.name}] {key.name}"


def test_the_shipped_examples_are_right():
    """The tables in its comments load, with the defaults they name."""
    example = re.sub(r"(?m)^#     ", "", shipped())
    config, problems = load(example)
    assert problems == ()
    assert (config.socket[0].rights, config.imports[0].category, config.vaults[0].name) == (
        ("read", "write"),
        "integration",
        "work",
    )


def test_all_faults_are_told_at_once_with_their_lines():
    """Misspelt keys and sections, wrong types, values out of range; the good keys hold."""
    config, problems = load(
        """[vault]
timezone = "Asia/Shangai"
max_notes = 5
ignore = ["a/"]
[formatoin]
x = 1
[formation]
seal = true
admit = 1.5
method = "rule"
here = "maybe"
folder = "../x"
[llm]
api_key_env = "sk-123"
timeout = "60"
[sync]
merge = "yes"
"""
    )
    assert [p.line for p in problems] == [2, 3, 5, 8, 9, 10, 11, 12, 14, 15, 17]
    told = "\n".join(f"{p.message} {p.hint}" for p in problems)
    for word in (
        "Asia/Shanghai",
        "`max_note`",
        "`formation`",
        "whole number",
        "between 0 and 1",
        "'rules'",
        "true or false",
    ):
        assert word in told
    assert "sk-123" not in told
    assert config == msgspec.structs.replace(Config(), vault=msgspec.structs.replace(Config().vault, ignore=("a/",)))


@pytest.mark.parametrize(
    "table", ['rights = ["reed"]', 'foldr = "x"', "folder = 5", 'sensitive = "no"', 'confirm = "alwyas"']
)
def test_a_socket_with_a_fault_is_not_opened(table):
    """A default could grant more than was meant."""
    config, problems = load(f'[[socket]]\npath = "/a"\n{table}\n[[socket]]\npath = "/b"\n')
    assert [socket.path for socket in config.socket] == ["/b"]
    assert [p.line for p in problems] == [3]


def test_a_fault_in_confirm_asks_for_everything():
    """Doubt is conservative."""
    assert load('[agents]\nconfirm = "destructve"\n')[0].agents.confirm == "all"


def test_a_table_without_what_it_needs_is_told():
    """With the line of its head."""
    config, problems = load('[[vaults]]\nname = "a"\npath = "/a"\n[[vaults]]\nname = "b"\n')
    assert [v.name for v in config.vaults] == ["a"]
    assert [(p.line, "`path`" in p.message) for p in problems] == [(4, True)]


@pytest.mark.parametrize(
    ("text", "line"),
    [("[vault]\nx = = 1\n", 2), ("vault = 3\n", 1), ("socket = 4\n", 1), ("a = " + "[" * 5000, 0), ("[vault", 1)],
)
def test_a_text_that_is_no_config_leaves_the_defaults(text, line):
    """One problem with the line where it can be found."""
    config, problems = load(text)
    assert msgspec.structs.replace(config, agents=Config().agents) == Config()
    assert len(problems) == 1
    assert problems[0].line in (line, 0)


@given(st.text("[]=\"'#.\n ab1-{},", max_size=60))
def test_any_text_has_an_answer(text):
    """Nothing raises."""
    load(text)
    load(f"[formation]\n{text}")


def test_a_file_that_is_no_toml_allows_no_more_than_was_meant():
    """Every default, save that all changes are confirmed; the line is named."""
    config, [problem] = load('[agents]\nconfirm = "all\n')
    assert (config.agents.confirm, config.socket) == ("all", ())
    assert (problem.code, problem.line) == ("config_syntax", 2)


@pytest.mark.parametrize(
    "line",
    [
        '[llm]\nbase_url = "localhost:1234"',
        '[vectors]\napi_key_env = "sk-123"',
        '[daemon]\nmetrics_file = "memd.prom"',
        '[daemon]\nsocket = "memd.sock"',
        '[[socket]]\npath = "agents.sock"',
        '[[imports]]\npath = "mail.mbox"',
        '[[imports]]\npath = ""',
    ],
)
def test_what_would_mean_something_else_elsewhere_is_a_fault(line):
    """An address without a scheme, a key where its variable's name belongs, a path that hangs on where memd was started."""
    assert [problem.line for problem in load(line)[1]] == [2]


def test_what_is_looked_at_once_stays_as_it_runs():
    """Read again, other keys hold at once; those that need a start are told, with the section and the key."""
    running, _ = load("[vectors]\nthreads = 1\n")
    read, _ = load('[vectors]\nthreads = 2\n[formation]\nfolder = "m"\nseal = 5\n[agents]\nconfirm = "all"\n')
    config, problems = again(running, read)
    assert (config.vectors.threads, config.formation.folder) == (1, "memory")
    assert (config.formation.seal, config.agents.confirm) == (5, "all")
    assert [problem.message.partition(" was")[0] for problem in problems] == ["[vectors]", "[formation] `folder`"]
    assert again(running, running) == (running, ())


def test_two_vaults_of_one_name_are_a_fault():
    """The first holds; the second is told with its line. A table without a name is another fault, told too."""
    config, problems = load(
        '[[vaults]]\nname = "work"\npath = "/a"\n[[vaults]]\nname = "work"\npath = "/b"\n[[vaults]]\npath = "/c"\n'
    )
    assert [(vault.name, vault.path) for vault in config.vaults] == [("work", "/a")]
    assert [(problem.line, problem.message) for problem in problems] == [
        (5, "two [[vaults]] are called 'work'"),
        (7, "a [[vaults]] has no `name`"),
    ]
