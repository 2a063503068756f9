"""Exports become what was said, and nothing else; no bytes make reading raise."""

from __future__ import annotations

import base64
import io
import json
import os
import zipfile
from email.message import EmailMessage

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memd.model.config import FORMATS
from memd.parse import exports
from memd.parse.exports import detect, read


def said(data: str | bytes, format: str = "auto", name: str = "x") -> list[tuple[str, str]]:
    sessions, _ = read(data.encode() if isinstance(data, str) else data, format, name)
    return [(e.speaker, e.text) for s in sessions for e in s.events]


def lines(*values) -> str:
    return "\n".join(json.dumps(v, ensure_ascii=False) for v in values)


def test_lines_of_the_contract():
    """Each line is an event with all its keys; a bad line is a problem and costs no other."""
    text = (
        lines({"id": "1", "speaker": "小林", "text": "你好", "at": "2026-01-10T08:00:00+08:00", "role": "user"})
        + "\nnot json\n"
        + lines({"speaker": "b", "text": "hi"})
    )
    sessions, problems = read(text.encode(), "jsonl", "talk.jsonl")
    assert [(s.session, s.category) for s in sessions] == [("talk", "interaction")]
    assert [(e.id, e.speaker, e.text, e.at, e.role) for e in sessions[0].events] == [
        ("1", "小林", "你好", "2026-01-10T08:00:00+08:00", "user"),
        ("", "b", "hi", "", ""),
    ]
    assert [p.line for p in problems] == [2]


def test_a_chatgpt_export_is_the_branch_last_seen():
    """Regenerated answers, system messages, tool calls and hidden context are not said."""

    def node(id, parent, role, text, **more):
        content = {"content_type": "text", "parts": [text]}
        return {
            "id": id,
            "parent": parent,
            "children": [],
            "message": {"id": id, "author": {"role": role}, "create_time": 1767225600.0, "content": content, **more},
        }

    mapping = {
        "r": {"id": "r", "parent": None, "message": None, "children": ["s"]},
        "s": node("s", "r", "system", "be nice"),
        "u": node("u", "s", "user", "I moved to Ghent"),
        "old": node("old", "u", "assistant", "first answer"),
        "t": node("t", "u", "assistant", "search()", recipient="browser"),
        "o": node("o", "t", "tool", "result"),
        "a": node("a", "o", "assistant", "Congratulations"),
    }
    data = json.dumps([{"title": "Ghent", "id": "c1", "mapping": mapping, "current_node": "a"}])
    assert said(data) == [("user", "I moved to Ghent"), ("assistant", "Congratulations")]
    sessions, _ = read(data.encode(), "auto", "conversations.json")
    assert (sessions[0].session, sessions[0].events[0].at[:10], sessions[0].events[0].id) == (
        "chatgpt-c1",
        "2026-01-01",
        "u",
    )


def test_a_claude_export_is_text_blocks():
    """Tool use and results inside a message are left out."""
    data = json.dumps(
        [
            {
                "uuid": "c",
                "chat_messages": [
                    {
                        "uuid": "1",
                        "sender": "human",
                        "created_at": "2026-01-01T00:00:00Z",
                        "text": "hi",
                        "content": [{"type": "text", "text": "hi"}],
                    },
                    {
                        "uuid": "2",
                        "sender": "assistant",
                        "text": "x tool",
                        "content": [{"type": "tool_use"}, {"type": "text", "text": "hello"}],
                    },
                ],
            }
        ]
    )
    assert said(data) == [("user", "hi"), ("assistant", "hello")]
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("export/conversations.json", data)
    assert said(archive.getvalue(), name="data.zip") == [("user", "hi"), ("assistant", "hello")]


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_damaged_archive_is_told_and_never_raises(method):
    """Whichever byte of an archive is wrong, nothing is made up of it."""
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", method) as file:
        file.writestr("conversations.json", "[" + ",".join(map(str, range(400))) + "]")
    whole = archive.getvalue()
    sound = read(whole, "auto", "data.zip")[0]
    for at in range(4, len(whole)):
        damaged = whole[:at] + bytes((whole[at] ^ 0xFF,)) + whole[at + 1 :]
        assert read(damaged, "auto", "data.zip")[0] in ([], sound)


def test_an_archive_that_unpacks_to_too_much_is_left_packed(monkeypatch):
    """What an archive says of its size is believed before a byte is unpacked."""
    monkeypatch.setattr(exports, "UNPACKED", 1000)
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("conversations.json", json.dumps([{"mapping": {}, "title": " " * 1000}]))
    assert [problem.message for problem in read(archive.getvalue(), "auto", "data.zip")[1]] == [
        "the archive holds no conversations.json"
    ]


def test_of_an_agents_transcript_only_what_was_said_counts():
    """Tool results, summaries of a compaction, hooks' context, memd's own packs, side chains: never."""

    def row(role, content, **more):
        return {
            "type": role,
            "sessionId": "s1",
            "uuid": str(len(json.dumps(content))),
            "timestamp": "2026-01-01T00:00:00Z",
            "message": {"role": role, "content": content},
            **more,
        }

    text = lines(
        {"type": "summary", "summary": "earlier", "leafUuid": "x", "sessionId": "s1"},
        row("user", "Use tabs in this project. <system-reminder>secret context</system-reminder>"),
        row(
            "assistant",
            [
                {"type": "thinking", "thinking": "hm"},
                {"type": "text", "text": "Tabs it is."},
                {"type": "tool_use", "name": "Bash", "input": {}},
            ],
        ),
        row("user", [{"type": "tool_result", "content": "file listing"}]),
        row("user", "<memd-context>\nThe user likes spaces.\n</memd-context>\nNow run the tests"),
        row(
            "user",
            "This session is being continued from a previous conversation that ran out of context.",
            isCompactSummary=True,
        ),
        row("user", "side", isSidechain=True),
        row("user", "<command-name>/clear</command-name>"),
    )
    assert said(text) == [
        ("user", "Use tabs in this project."),
        ("assistant", "Tabs it is."),
        ("user", "Now run the tests"),
    ]
    assert detect(text.encode(), "t.jsonl") == "agent"


def test_blocks_that_memd_put_in_are_left_out_of_every_format():
    """What memd said does not come back as evidence, closed or not."""
    assert said(lines({"speaker": "u", "text": "a <memd-context>x</memd-context> b"}), "jsonl") == [("u", "a  b")]
    assert said("Ann: hello <memd-context>and the rest", "chat") == [("Ann", "hello ")]


@pytest.mark.parametrize(
    ("text", "want"),
    [
        ("Ann: hi\nBob: hello\nthere\nAnn: bye", [("Ann", "hi", ""), ("Bob", "hello\nthere", ""), ("Ann", "bye", "")]),
        ("小林：你好\n阿珍：早", [("小林", "你好", ""), ("阿珍", "早", "")]),
        (
            "小林 2026-01-01 10:00\n你好\n第二行\n\n阿珍 2026-01-01 10:01:30\n早",
            [("小林", "你好\n第二行", "2026-01-01T10:00:00"), ("阿珍", "早", "2026-01-01T10:01:30")],
        ),
        ("小林 2026/1/1 下午3:05\n吃了吗", [("小林", "吃了吗", "2026-01-01T15:05:00")]),
        (
            "[2026-01-01 10:00] Ann: hi\n[2026-01-01 10:01] Bob: yo",
            [("Ann", "hi", "2026-01-01T10:00:00"), ("Bob", "yo", "2026-01-01T10:01:00")],
        ),
        (
            "31/12/2025, 22:00 - Ann: hi\n1/1/2026, 0:01 - Bob: happy new year",
            [("Ann", "hi", "2025-12-31T22:00:00"), ("Bob", "happy new year", "2026-01-01T00:01:00")],
        ),
        ("12/31/25, 10:00 PM - Ann: hi", [("Ann", "hi", "2025-12-31T22:00:00")]),
        (
            "Ann: see https://x.org: it is good\nBob: ok",
            [("Ann", "see https://x.org: it is good", ""), ("Bob", "ok", "")],
        ),
    ],
)
def test_plain_chat_in_its_many_spellings(text, want):
    """Speaker, words and time of each message; lines without a speaker go on."""
    sessions, _ = read(text.encode(), "chat", "talk.txt")
    assert [(e.speaker, e.text, e.at) for e in sessions[0].events] == want


def test_a_document_is_its_sections():
    """A section is one event of the category integration; its id is what it says."""
    text = "---\ntitle: T\n---\nIntro.\n\n# A\n\n```\n# no heading\n```\n\n## B\n\nlast\n"
    sessions, _ = read(text.encode(), "auto", "notes.md")
    assert (sessions[0].category, sessions[0].source) == ("integration", "document:notes")
    assert [e.text.split("\n")[0] for e in sessions[0].events] == ["Intro.", "# A", "## B"]
    again, _ = read(text.replace("last", "changed").encode(), "auto", "notes.md")
    assert [a.id == b.id for a, b in zip(sessions[0].events, again[0].events, strict=True)] == [True, True, False]


def test_a_mailbox_is_its_messages():
    """Sender, subject, plain text without quoted replies, date and Message-ID; HTML only where there is no plain text."""
    box = (
        b"From a@x Thu Jan  1 00:00:00 2026\nFrom: =?utf-8?b?5p6X?= <a@x>\nSubject: Hold ready\nDate: Thu, 1 Jan 2026 10:00:00 +0800\nMessage-ID: <m1@x>\n\nYour hold is ready.\n\n> old words\n"
        b"\nFrom b@x Thu Jan  1 00:00:00 2026\nFrom: b@x\nSubject: H\nContent-Type: text/html\n\n<p>Rich <b>text</b></p><script>bad()</script>\n"
    )
    sessions, _ = read(box, "auto", "inbox.mbox")
    first, second = sessions[0].events
    assert (first.speaker, first.text, first.id, first.at) == (
        "林",
        "# Hold ready\n\nYour hold is ready.",
        "m1@x",
        "2026-01-01T10:00:00+08:00",
    )
    assert "Rich" in second.text
    assert "bad()" not in second.text
    assert (sessions[0].source, sessions[0].category) == ("mbox:inbox", "integration")


def test_a_repositorys_log_is_its_commits():
    """Oldest first, by their hashes."""
    log = "commit aaaaaaa1\nAuthor: Ann <a@x>\nDate:   Mon Jan 5 10:00:00 2026 +0800\n\n    Second\n\n    body\n\ncommit bbbbbbb2\nAuthor: Bob <b@x>\nDate:   Sun Jan 4 10:00:00 2026 +0800\n\n    First\n"
    sessions, _ = read(log.encode(), "auto", "repo.txt")
    assert [(e.id, e.speaker, e.text, e.at) for e in sessions[0].events] == [
        ("bbbbbbb2", "Bob", "First", "2026-01-04T10:00:00+08:00"),
        ("aaaaaaa1", "Ann", "Second\n\nbody", "2026-01-05T10:00:00+08:00"),
    ]


def test_chinese_text_in_an_old_encoding_is_read():
    """GB18030 without a mark is not lost."""
    assert said("小林：你好\n阿珍：早".encode("gb18030"), "chat") == [("小林", "你好"), ("阿珍", "早")]


@pytest.mark.parametrize("data", [b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", b"%PDF-1.7\n" + bytes(range(256)) * 4])
@pytest.mark.parametrize("format", ["auto", "chat", "markdown"])
def test_what_is_no_text_is_said_to_be_none(data, format):
    """A picture or a PDF is no document: nothing of it becomes evidence."""
    sessions, problems = read(data, format, "x.md")
    assert (sessions, [problem.message for problem in problems]) == ([], ["the file is not text"])


@pytest.mark.parametrize("file", ["solo_chat_zh.json", "team_chat_en.json"])
def test_demo_chats(file):
    """Chats of another tool: a list of messages under a key."""
    path = os.path.join(os.environ.get("MEMD_DATA", "../shared/data"), file)
    if not os.path.exists(path):
        pytest.skip("no MEMD_DATA")
    with open(path, "rb") as handle:
        sessions, problems = read(handle.read(), "auto", file)
    assert len(sessions[0].events) > 5
    assert not problems
    assert all(e.at for e in sessions[0].events)


@settings(max_examples=150, deadline=None)
@given(
    st.one_of(st.binary(max_size=300), st.text(max_size=300).map(lambda t: t.encode("utf-8", "surrogatepass"))),
    st.sampled_from([*FORMATS, "nonsense"]),
)
def test_no_bytes_raise(data, format):
    """Any bytes in any format give sessions and problems; what they say can be written."""
    for prefix in (b"", b"[", b'{"mapping": ', b"From x 2026\n", b"PK\x03\x04"):
        sessions, _ = read(prefix + data, format, "f.bin")
        for session in sessions:
            for event in session.events:
                event.text.encode()


@settings(max_examples=60, deadline=None)
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
        lambda c: (
            st.lists(c, max_size=4)
            | st.dictionaries(
                st.sampled_from(
                    [
                        "mapping",
                        "message",
                        "author",
                        "role",
                        "content",
                        "parts",
                        "chat_messages",
                        "sender",
                        "text",
                        "speaker",
                        "type",
                        "current_node",
                        "messages",
                        "at",
                    ]
                ),
                c,
                max_size=5,
            )
        ),
        max_leaves=20,
    )
)
def test_no_json_raises(value):
    """Objects with the right keys and the wrong values are problems, not errors."""
    for format in ("auto", "chatgpt", "claude", "jsonl", "agent"):
        read(json.dumps(value).encode(), format, "x.json")
        read(json.dumps([value]).encode(), format, "x.json")


def test_deep_and_long_input_is_linear():
    """A hundred thousand brackets and a megabyte on one line are read, quickly."""
    read(b"[" * 100_000, "auto", "x.json")
    read(b"a" * 1_000_000, "chat", "x.txt")
    read((b"From " * 200_000), "mbox", "x.mbox")
    assert len(said(lines({"speaker": "a", "text": "x" * 500_000}), "jsonl")) == 3


@pytest.mark.parametrize(
    ("name", "text", "want"),
    [
        (
            "WhatsApp Chat.txt",
            "02/04/2026, 09:12 - Messages and calls are end-to-end encrypted.\n02/04/2026, 09:12 - Ann: hi\nsecond: line\n"
            "02/04/2026, 09:13 - Bob: <Media omitted>\n02/04/2026, 09:14 - Ann added Carl\n13/04/2026, 21:15 - +44 7700 900123: call: me\n"
            "13/04/2026, 21:16 - Ann changed the subject from “a: b” to “c: d”\n",
            [
                ("Ann", "hi\nsecond: line", "2026-04-02T09:12:00"),
                ("+44 7700 900123", "call: me", "2026-04-13T21:15:00"),
            ],
        ),
        (
            "_chat.txt",
            "\u200e[02/04/2026, 09:12:31] Ann: \u200eMessages are encrypted.\n[02/04/2026, 09:12:40] Ann: hi\n"
            "\u200e[02/04/2026, 09:13:00] Bob: \u200eimage omitted\n[13/04/2026, 9:14:00\u202fPM] Bob: ok\n",
            [("Ann", "hi", "2026-04-02T09:12:40"), ("Bob", "ok", "2026-04-13T21:14:00")],
        ),
        (
            "微信.txt",
            "2026-04-02 09:12:31 小林\n我去学摄影\n\n2026-04-02 09:13:00 阿珍\n好呀：几点？\n2026-04-02 09:14:00 系统消息\n小林撤回了一条消息\n"
            "2026-04-02 09:15:00 小林\n[图片]\n",
            [("小林", "我去学摄影", "2026-04-02T09:12:31"), ("阿珍", "好呀：几点？", "2026-04-02T09:13:00")],
        ),
        (
            "qq.txt",
            "消息记录\n====\n\n2026-04-02 9:12:31 小林(12345678)\n你好\n\n2026-04-02 21:13:00 阿珍<azhen@qq.com>\n时间：三点\n"
            "2026-04-02 21:14:00 阿珍(87654321)\n我也是阿珍\n",
            [
                ("小林", "你好", "2026-04-02T09:12:31"),
                ("阿珍<azhen@qq.com>", "时间：三点", "2026-04-02T21:13:00"),
                ("阿珍(87654321)", "我也是阿珍", "2026-04-02T21:14:00"),
            ],
        ),
        (
            "telegram.txt",
            "Ann, [02.04.2026 09:12]\nhi\n\nBob B, [2 Apr 2026 at 09:13:20]:\nhello\nworld\n",
            [("Ann", "hi", "2026-04-02T09:12:00"), ("Bob B", "hello\nworld", "2026-04-02T09:13:20")],
        ),
        (
            "result.json",
            '{"name": "Ann", "id": 5, "messages": [{"id": 1, "type": "message", "date_unixtime": "1775092351", "from": "Ann", "text": "hi"},\n'
            '{"id": 2, "type": "message", "from": "Bob", "text": ["see ", {"type": "link", "text": "x.y"}]}, {"id": 3, "type": "service", "actor": "Ann", "text": ""}]}',
            [("Ann", "hi", "2026-04-02T01:12:31+00:00"), ("Bob", "see x.y", "")],
        ),
        (
            "discord.json",
            '{"messages": [{"id": "9", "content": "hi", "author": {"id": "7", "name": "ann99", "nickname": "Ann"}}]}',
            [("Ann", "hi", "")],
        ),
        (
            "slack.json",
            '[{"user": "U1", "text": "hi", "ts": "1775092351.0", "user_profile": {"real_name": "Ann A"}}, {"user": "U2", "text": "yo"},\n'
            '{"subtype": "channel_join", "user": "U2", "text": "U2 has joined"}]',
            [("Ann A", "hi", "2026-04-02T01:12:31+00:00"), ("U2", "yo", "")],
        ),
        (
            "claude-code.jsonl",
            '{"type": "file-history-snapshot", "messageId": "m"}\n{"type": "user", "uuid": "u", "sessionId": "S", "message": {"role": "user", "content": "fix it"}}',
            [("user", "fix it", "")],
        ),
        (
            "codex.jsonl",
            '{"id": "c1", "timestamp": "2026-04-02T09:12:31Z", "instructions": null}\n{"record_type": "state"}\n'
            '{"type": "message", "role": "user", "content": [{"type": "input_text", "text": "<environment_context>x</environment_context>"}]}\n'
            '{"type": "message", "role": "user", "content": [{"type": "input_text", "text": "hello"}]}',
            [("user", "hello", "")],
        ),
        (
            "_chat.txt",
            "[2026/4/2, 09:12:33] 小林: 我去学摄影\n[2026/4/2, 09:13:01] Ann: good\nfor you\n",
            [("小林", "我去学摄影", "2026-04-02T09:12:33"), ("Ann", "good\nfor you", "2026-04-02T09:13:01")],
        ),
        (
            "chatgpt.md",
            "## 🧑 User\n\n每天跑步好吗？\n\n## 🤖 Assistant\n\n好。\n\n### Plan\nNote: rest\nPython: no\n\n## User\nok\n",
            [
                ("User", "每天跑步好吗？", ""),
                ("Assistant", "好。\n\n### Plan\nNote: rest\nPython: no", ""),
                ("User", "ok", ""),
            ],
        ),
        ("copied.txt", "You said:\nhello\nChatGPT said:\nhi\n", [("You", "hello", ""), ("ChatGPT", "hi", "")]),
        ("复制.txt", "你说：\n你好\nChatGPT 说：\n你好呀\n", [("你", "你好", ""), ("ChatGPT", "你好呀", "")]),
        ("bold.md", "**Human:**\n\nhi\n\n**Claude:**\n\nyo: yes\n", [("Human", "hi", ""), ("Claude", "yo: yes", "")]),
        (
            "meeting.txt",
            "Ann: we need more\nKey point: none\nBob: yes\nAnn: good",
            [("Ann", "we need more\nKey point: none", ""), ("Bob", "yes", ""), ("Ann", "good", "")],
        ),
    ],
)
def test_each_tools_export_names_its_speakers(name, text, want):
    """Found out by itself: what the tool says of its own, and what stands for no text, is nobody's; no line's beginning
    is taken for a name; two people of one name stay two."""
    sessions, problems = read(text.encode(), "auto", name)
    assert [(e.speaker, e.text, e.at) for s in sessions for e in s.events] == want
    assert [p.line for p in problems] == ([1] if name == "qq.txt" else [])


def test_a_markdown_page_with_colons_is_no_chat():
    """Words before a colon are speakers where they speak."""
    assert detect(b"# User\n\nThe user table.\n\n# Assistant manager\n\nx\n", "page.md") == "markdown"
    assert detect(b"[[link]] and\n", "page.md") == detect(b"{{title}}\n", "page.md") == "markdown"
    assert detect(b"Today: I went out\nNote: buy milk\nKey point: none\n\nMore text here.\n", "page.md") == "markdown"


def test_in_a_mail_only_its_senders_words_count():
    """A forwarded message and attachments are others'; `From` begins a message only behind an empty line and with a
    year; old Chinese encodings are read; a message without text is a problem with its line."""
    inner = EmailMessage()
    inner.set_content("Fire them all\n")
    mail = EmailMessage()
    mail["From"] = "Ann <ann@x>"
    mail.set_content("See below\n")
    mail.add_attachment(inner)
    mail.add_attachment("notes", filename="n.txt")
    body = base64.b64encode("青禾圖書館开门了".encode("gbk"))
    box = (
        b"From ann@x Thu Jan  1 00:00:00 2026\n" + bytes(mail) + b"\nFrom l@x Thu Jan  1 00:00:00 2026\nFrom: l@x\nContent-Transfer-Encoding: base64\n"
        b"Content-Type: text/plain; charset=gb2312\n\n" + body + b"\n\nFrom b@x Thu Jan  1 00:00:00 2026\nFrom: b@x\nDate: nonsense\n\nHello\n\nFrom here on\n>From time\n"
        b"\nFrom e@x Thu Jan  1 00:00:00 2026\nFrom: e@x\nContent-Type: image/png\n\nabc\n"
    )  # fmt: skip
    [session], [missing] = read(box, "auto", "in.mbox")
    assert [(e.speaker, e.text) for e in session.events] == [
        ("Ann", "See below"),
        ("l@x", "青禾圖書館开门了"),
        ("b@x", "Hello\n\nFrom here on\nFrom time"),
    ]
    assert box.split(b"\n")[missing.line - 1].startswith(b"From e@x")
