#!/usr/bin/env python3
"""Claude Code's SessionEnd and PreCompact: the session's transcript goes to memd as evidence.

Reads the hook's JSON on standard input and runs `memd ingest` on the transcript. What stands in <memd-context>, tool
results and reminders are left out; what was taken in before is not taken twice, so it may run as often as it likes.
It goes on by itself after the hook has returned, since sessions end in a hurry: MEMD_HOOK_WAIT=1 waits for it instead.
MEMD names another command, MEMD_VAULT a vault.
"""

import json
import os
import shlex
import subprocess
import sys


def main() -> int:
    try:
        hook = json.load(sys.stdin)
    except ValueError:
        hook = {}
    transcript = os.path.expanduser(str(hook.get("transcript_path") or ""))
    if not os.path.isfile(transcript):
        return 0
    command = [*shlex.split(os.environ.get("MEMD", "memd")), "ingest", transcript, "--source", "claude-code", "--quiet"]
    if hook.get("hook_event_name") == "PreCompact":
        command.append("--open")
    if vault := os.environ.get("MEMD_VAULT"):
        command += ["--vault", vault]
    folder = hook.get("cwd") if os.path.isdir(str(hook.get("cwd"))) else None
    try:
        ingest = subprocess.Popen(
            command,
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=None if os.environ.get("MEMD_HOOK_WAIT") else subprocess.DEVNULL,
            start_new_session=True,
        )
    except OSError as error:
        print(f"memd: the session was not taken in: {error}", file=sys.stderr)
        return 0
    return ingest.wait() if os.environ.get("MEMD_HOOK_WAIT") else 0


if __name__ == "__main__":
    sys.exit(main())
