#!/usr/bin/env python3
"""Claude Code's SessionStart: what memd knows that matters here goes into the context, marked as memd's own words.

Reads the hook's JSON on standard input, runs `memd retrieve`, prints. Without an answer it prints nothing and never holds
a session up. The question is the working folder's name, or MEMD_ASK. MEMD names another command, MEMD_VAULT a vault (else
the one that the folder or the config means).
"""

import json
import os
import re
import shlex
import subprocess
import sys

SECONDS = 15


def main() -> int:
    try:
        hook = json.load(sys.stdin)
    except ValueError:
        hook = {}
    folder = str(hook.get("cwd") or os.getcwd())
    question = os.environ.get("MEMD_ASK") or os.path.basename(folder.rstrip("/")) or "home"
    text = retrieve(question, folder)
    if text:
        print(marked(text))
    return 0


def marked(text: str) -> str:
    """The text inside the mark; no words that somebody said can open or close it."""
    kept = re.sub(r"<(?=\s*/?\s*memd-context)", "‹", text, flags=re.I)
    return f"<memd-context>\n{kept}\n</memd-context>"


def retrieve(question: str, folder: str) -> str:
    command = [
        *shlex.split(os.environ.get("MEMD", "memd")),
        "retrieve",
        "--json",
        "--mode",
        "broad_summary",
        "--max-tokens",
        "1500",
    ]
    if vault := os.environ.get("MEMD_VAULT"):
        command += ["--vault", vault]
    try:
        done = subprocess.run(
            [*command, "--", question], cwd=folder, capture_output=True, text=True, timeout=SECONDS, check=False
        )
        answer = json.loads(done.stdout)
    except (OSError, ValueError, subprocess.TimeoutExpired) as error:
        print(f"memd: nothing was retrieved: {error}", file=sys.stderr)
        return ""
    if done.returncode:
        print(f"memd: {answer.get('error', {}).get('message', 'nothing was retrieved')}", file=sys.stderr)
        return ""
    found = any(answer.get(kind) for kind in ("leaves", "summaries", "evidence")) or answer.get(
        "retrieval_pack", {}
    ).get("known_facts")
    return answer.get("text", "").strip() if found else ""


if __name__ == "__main__":
    sys.exit(main())
