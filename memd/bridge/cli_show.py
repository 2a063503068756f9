"""Answers as people read them: one function a word, and a plain outline for what has none.

Everything printed passes `safe`: a title cannot steer the terminal. Links to notes are OSC 8, on terminals that can.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any
from urllib.parse import quote

from memd.bridge.cli_shell import Shell, safe

Answer = dict[str, Any]


_LAGS = ("search", "retrieve", "list", "recent", "context", "refresh", "reindex")
"""Words whose answer depends on the index being in step."""
_NOTHING = {
    "list": "no notes",
    "recent": "no changes",
    "profile": "nothing is known yet: `memd patch` takes in at once what was remembered, memd by itself every few minutes",
    **dict.fromkeys(("seal", "patch", "chains"), "nothing was due"),
}
"""What is said where an answer holds nothing."""
_ABOUT = ("index", "version", "up_to")
"""Keys that tell of the answer, and are not what was asked for."""
_DONE = {"delete": "deleted", "restore": "restored", "move": "moved"}


def show(shell: Shell, word: str, answer: Answer) -> None:
    if "plan" in answer and isinstance(answer["plan"], str):
        plan(shell, answer)
    elif word in _NOTHING and not any(value for key, value in answer.items() if key not in _ABOUT):
        shell.say(_NOTHING[word])
    else:
        shown: Callable[[Shell, Answer], None] = _SHOWN.get(word) or outline
        shown(shell, answer)
    index = answer.get("index", {})
    if word in _LAGS and not index.get("current", True):
        pending = index.get("pending", 0)
        waits = f": {pending} {'file waits' if pending == 1 else 'files wait'}" if pending else ""
        shell.say(f"(the index is behind{waits})")


def link(shell: Shell, path: str, text: str) -> str:
    """The text, on terminals that can a link that opens the note in Obsidian."""
    vault = shell.place.vault
    if not (vault and path and shell.terminal and _links(shell)):
        return text
    target = "obsidian://open?path=" + quote(f"{vault}/{path}", safe="")
    return f"\x1b]8;;{target}\x1b\\{text}\x1b]8;;\x1b\\"


def _links(shell: Shell) -> bool:
    environ = shell.environ
    known = environ.get("TERM_PROGRAM", "") in ("iTerm.app", "WezTerm", "vscode", "ghostty", "Hyper", "Tabby")
    vte = environ.get("VTE_VERSION", "")
    return (
        known
        or (vte.isdigit() and int(vte) >= 5000)
        or any(map(environ.get, ("KITTY_WINDOW_ID", "WT_SESSION", "KONSOLE_VERSION")))
    )


def _head(shell: Shell, item: Answer) -> str:
    path = str(item.get("path", ""))
    title = shell.paint(safe(str(item.get("title") or path)), "1")
    line = f":{item['line']}" if item.get("line") else ""
    return f"{link(shell, path, title)}  {shell.paint(safe(path) + line, '2')}"


def search(shell: Shell, answer: Answer) -> None:
    for hit in answer.get("hits", []):
        shell.print(_head(shell, hit))
        if snippet := " ".join(str(hit.get("snippet", "")).split()):
            shell.print(f"    {safe(snippet)}")
        names = ", ".join(f"{each.get('relation')} {each.get('title')}" for each in hit.get("related", [])[:4])
        if names:
            shell.print(shell.paint(f"    {safe(names)}", "2"))
        if why := hit.get("why"):
            shell.print(shell.paint(f"    {_why(hit, why)}", "2"))
    if not answer.get("hits"):
        shell.say("nothing found")
    if answer.get("cursor"):
        shell.say(f"more: --cursor {answer['cursor']}")


def _why(hit: Answer, why: Answer) -> str:
    """`score 0.83 = words 0.51 + meaning 0.32 (glaze, kiln)`."""
    words = ", ".join(map(str, why.get("words", [])))
    sought = f" ({safe(words)})" if words else ""
    return f"score {hit.get('score')} = words {why.get('text')} + meaning {why.get('meaning')}{sought}"


def notes(shell: Shell, answer: Answer) -> None:
    for item in answer.get("notes", []):
        shell.print(f"{_head(shell, item)}  {shell.paint(str(item.get('modified', '')), '2')}")
    if answer.get("cursor"):
        shell.say(f"more: --cursor {answer['cursor']}")


def changes(shell: Shell, answer: Answer) -> None:
    for item in answer.get("changes", []):
        shell.print(f"{item.get('at', '')}  {item.get('what', ''):9} {_head(shell, item)}")
    if answer.get("cursor"):
        shell.say(f"since this: --cursor {answer['cursor']}")


def read(shell: Shell, answer: Answer) -> None:
    content = str(answer.get("content", ""))
    shell.out.write(safe(content) if shell.out.isatty() else content)
    if not content.endswith("\n"):
        shell.print()
    if answer.get("truncated"):
        shell.say(f"more: --offset {answer.get('next_offset')}")


def retrieve(shell: Shell, answer: Answer) -> None:
    shell.print(safe(str(answer.get("text", ""))))
    if why := answer.get("why"):
        outline(shell, {"intent": answer.get("intent"), "why": why})


def written(shell: Shell, answer: Answer, done: str = "done") -> None:
    """One line on what was done, and what is like it."""
    what = str(answer.get("action", done))
    shell.print(f"{what} {link(shell, str(answer.get('path', '')), safe(str(answer.get('path', ''))))}".rstrip())
    rest = {k: v for k, v in answer.items() if k not in ("action", "path", "permalink", "sha256", "index") and v}
    outline(shell, rest)


def plan(shell: Shell, answer: Answer) -> None:
    styles = {"+": "32", "-": "31", "@": "36"}
    for line in str(answer["plan"]).split("\n"):
        shell.print(shell.paint(safe(line), styles[line[0]]) if line[:1] in styles else safe(line))
    if answer.get("token"):
        shell.say(f"nothing was changed; do it with --token {answer['token']}")


def problems(shell: Shell, answer: Answer) -> None:
    found = answer.get("problems", [])
    for each in found:
        place = f"{each.get('path', '')}:{each.get('line', 0)}" if each.get("line") else str(each.get("path", ""))
        start = f"{shell.paint(safe(place), '1')}: " if place else ""
        shell.print(
            f"{start}{safe(str(each.get('message', '')))} {shell.paint('[' + str(each.get('code', '')) + ']', '2')}"
        )
        if each.get("hint"):
            shell.print(f"    {safe(str(each['hint']))}")
    if not found:
        shell.say("no problems")
    if answer.get("cursor"):
        shell.say(f"more: --cursor {answer['cursor']}")


def trace(shell: Shell, answer: Answer) -> None:
    """Lineage as a tree: what a thing rests on, then what rests on it."""
    shell.print(_node(shell, answer))
    if path := str(answer.get("path", "")):
        shell.print(f"  {shell.paint(link(shell, path, safe(path)), '2')}")
    for way, heading in (("down", "rests on"), ("up", "carries")):
        children = (answer.get(way) or {}).get("children", [])
        if children:
            shell.print(heading)
            _branches(shell, answer[way])
    if answer.get("missing"):
        shell.say(f"the first layer that is not there: {answer['missing']}")


def _branches(shell: Shell, node: Answer, pad: str = "") -> None:
    children = node.get("children", [])
    more = node.get("more", 0)
    for number, child in enumerate(children, 1):
        last = number == len(children) and not more
        shell.print(f"{pad}{'└─' if last else '├─'} {_node(shell, child)}")
        _branches(shell, child, pad + ("   " if last else "│  "))
    if more:
        shell.print(f"{pad}└─ … {more} more")


def _node(shell: Shell, node: Answer) -> str:
    """Kind, words, what is to be known of them, id."""
    text = str(node.get("text", ""))
    if node.get("kind") == "turn":
        who = ", ".join(part for part in (str(node.get("speaker", "")), str(node.get("at", ""))[:10]) if part)
        text = f"{who}: “{node['quote']}”" if node.get("quote") else who
    marks = [word for word in ("superseded", "stale") if node.get(word)]
    if node.get("stale"):
        marks[-1] += f", {node.get('verification', '')}"
    said = f" ({'; '.join(marks)})" if marks else ""
    kind = str(node.get("kind", "")).replace("_", " ")
    return f"{shell.paint(kind, '1')} {safe(text)}{said}  {shell.paint(safe(str(node.get('id', ''))), '2')}"


def outline(shell: Shell, answer: Any, depth: int = 0) -> None:
    """Any answer: keys and values, nested by indentation."""
    pad = "  " * depth
    items = answer.items() if isinstance(answer, dict) else enumerate(answer)
    for key, value in items:
        if key == "index" and depth == 0:
            continue
        name = f"{pad}- " if isinstance(key, int) else f"{pad}{shell.paint(safe(str(key)), '1')}: "
        if isinstance(value, dict | list) and value:
            shell.print(name.rstrip())
            outline(shell, value, depth + 1)
        elif value not in (None, "", [], {}):
            shell.print(name + safe(str(value)).replace("\n", "\n" + pad + "    "))


_SHOWN: dict[str, Callable[[Shell, Answer], None]] = {
    "search": search,
    "list": notes,
    "recent": changes,
    "read": read,
    "retrieve": retrieve,
    "doctor": problems,
    "trace": trace,
    **dict.fromkeys(("write", "append", "edit"), written),
    **{word: partial(written, done=done) for word, done in _DONE.items()},
}
