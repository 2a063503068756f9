"""What `memd help TOPIC` says beyond the options of a word."""

from __future__ import annotations

TOPICS = {
    "query": """How to ask: memd search QUERY

  words          notes with any of them, those with more of them first; the last word may be a beginning
  "two words"    exactly so
  -word          without it              (on the command line after --: memd search -- cats -dogs)
  a OR b         either
  path:courses   below a folder or with that in the path
  tag:inbox      with the tag, nested ones included
  [status:open]  a frontmatter field
  --where K=V    the same as an option: K>V K>=V K<V K<=V, K~V contains, K is there, !K is not
  --mode text    words only; vector: meaning only; hybrid: both (the default)
""",
    "ingest": """Taking in material: memd ingest FILE --format … --source … --session …

  jsonl          one JSON object a line: speaker, text, and id, at, role if known
  chat           lines `name: words`
  markdown       a transcript with a heading or a bold name a turn
  chatgpt        conversations.json of an export
  claude         conversations.json of an export
  agent          a session of a coding agent (.jsonl, as Claude Code and Codex keep it)
  mbox           a mailbox
  git            what `git log` prints
  auto           looks at the file (the default)

The same file again changes nothing, so a run that broke off is simply repeated. --open leaves the session open
for more to come; without it its last episode is formed.
""",
    "files": """Where things are

  config         $XDG_CONFIG_HOME/memd/memd.toml (~/.config/memd/memd.toml); a vault `work` may have a work.toml beside it
  socket         $XDG_RUNTIME_DIR/memd/<vault>.sock
  cache          $XDG_CACHE_HOME/memd/<vault>: the indexes; may be deleted at any time
  log            $XDG_STATE_HOME/memd/<vault>.log of a daemon that a command started
  examples       {config}: settings with every key, hooks for agents, a Node client
  the vault      memory/ is what memd remembers, .trash/memd/ what it deleted, .conflict/ versions that lost
""",
    "vault": """Which vault a command means, the first that holds

  1. --vault PATH or --vault NAME (a [[vaults]] entry of the config)
  2. the configured vault that you stand in
  3. [vault] path of the config
  4. the only configured one
""",
    "exit": """Exit codes

  0  done
  1  refused or failed; the message says what to do next (--json prints {"error": {"code", "message"}})
  2  the command line was not understood
  3  no daemon, and none could be started
""",
    "forget": """Forgetting: memd forget KIND:ID

  KIND is evidence, turn, episode, leaf, entity, session or source; ids like lf-…, ep-…, ev-… and ev-…#t3 stand for
  themselves. The plan is shown first: what goes, what is made anew without it, and where memd cannot reach (git history,
  other devices). --yes does it without asking, --purge removes memd's own copies too, --withdraw refuses the same words
  when they come again.
""",
    "agents": """Agents: over MCP, by hooks, on the command line

  memd mcp                  MCP on stdio, as in {"command": "memd", "args": ["mcp", "--vault", "NAME"]}
  memd mcp --read-only      only what changes nothing
  memd mcp --confirm WHICH  never, destructive (the default) or all: calls that are shown to a person first
  {config}/hooks
                            scripts and settings for Claude Code, a paragraph for AGENTS.md

  What memd puts into a session stands in <memd-context> and is never taken in again.
""",
    "service": """A daemon that is always there: memd service install|uninstall|status

  install        on Linux a systemd user unit and its socket (memd@NAME.service, memd@NAME.socket), on macOS a launchd
                 agent (memd.NAME); enables and starts them, and tells what it wrote and ran
  --dry-run      prints the files and changes nothing
  status         installed, enabled, running; exit 1 where it does not run
  uninstall      takes away what install made; other vaults' units stay

  Logs: journalctl --user -u memd@NAME.  Config read again: systemctl --user reload memd@NAME.
""",
}
