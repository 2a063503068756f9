"""Shell completion as a script for bash, zsh or fish, made from the same table as the command line itself."""

from __future__ import annotations

from memd.bridge.cli_arguments import GLOBALS, option_names
from memd.bridge.cli_words import OWN, docs
from memd.serve.described import about
from memd.serve.messages import OF_WORD, params_of

SHELLS = ("bash", "zsh", "fish")


def script(shell: str) -> str:
    """To be evaluated by that shell: `eval "$(memd completion bash)"`."""
    return {"bash": _bash, "zsh": _zsh, "fish": _fish}[shell]()


def options(word: str) -> dict[str, tuple[str, tuple[str, ...]]]:
    """Option → (what it does, choices) of a word, global ones included."""
    found: dict[str, tuple[str, tuple[str, ...]]] = {}
    method = OF_WORD.get(word)
    for param in params_of(method) if method else ():
        if param.name != "time_range" and (method and param.name not in method.positional):
            found[option_names(param)[0]] = (about(method.name, param.name), param.choices)
        elif param.name == "time_range":
            found |= {
                "--since": ("not before", ()),
                "--until": ("not after", ()),
                "--of": ("of what", ("said", "valid")),
            }
    found |= {option: ("", choices) for option, choices in OWN[word].options.items()} if word in OWN else {}
    return found | dict.fromkeys(GLOBALS, ("", ()))


def _bash() -> str:
    cases = []
    for word in docs():
        names = options(word)
        cases += [
            f'        {word}:{name}) words="{" ".join(choices)}";;' for name, (_, choices) in names.items() if choices
        ]
        cases.append(f'        {word}:*) words="{" ".join(names)}";;')
    return f"""_memd() {{
    local current="${{COMP_WORDS[COMP_CWORD]}}" before="${{COMP_WORDS[COMP_CWORD-1]}}" word="" words="" each
    for each in "${{COMP_WORDS[@]:1:COMP_CWORD-1}}"; do
        case " {" ".join(docs())} " in *" $each "*) word="$each"; break;; esac
    done
    if [ -z "$word" ]; then
        words="{" ".join((*docs(), *GLOBALS, "--version"))}"
    else
        case "$word:$before" in
{chr(10).join(cases)}
        esac
        case "$before:$current" in --vault:*|--socket:*|--config:*|ingest:[!-]*|init:[!-]*) words="";; esac
    fi
    COMPREPLY=($(compgen -W "$words" -- "$current"))
    [ ${{#COMPREPLY[@]}} -gt 0 ] || COMPREPLY=($(compgen -f -- "$current"))
}}
complete -F _memd memd
"""


def _zsh() -> str:
    words = "\n".join(f"    {_quoted(word + ':' + doc)}" for word, doc in docs().items())
    cases = "\n".join(f"    {word}) _arguments {_zsh_options(word)} '*:file:_files' ;;" for word in docs())
    return f"""#compdef memd
_memd() {{
  local -a commands
  commands=(
{words}
  )
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  shift words
  (( CURRENT-- ))
  case $words[1] in
{cases}
  esac
}}
compdef _memd memd
"""


def _zsh_options(word: str) -> str:
    given = []
    for name, (text, choices) in options(word).items():
        said = "[" + text.replace("[", "(").replace("]", ")").replace(":", ",") + "]" if text else ""
        value = f":value:({' '.join(choices)})" if choices else ""
        given.append(_quoted(f"*{name}{said}{value}"))
    return " ".join(given)


def _fish() -> str:
    lines = [
        f"complete -c memd -f -n __fish_use_subcommand -a {word} -d {_quoted(doc)}" for word, doc in docs().items()
    ]
    for word in docs():
        seen = f"-n '__fish_seen_subcommand_from {word}'"
        for name, (text, choices) in options(word).items():
            given = f" -x -a {_quoted(' '.join(choices))}" if choices else ""
            said = f" -d {_quoted(text)}" if text else ""
            lines.append(f"complete -c memd {seen} -l {name[2:]}{given}{said}")
    return "\n".join([*lines, "complete -c memd -n '__fish_seen_subcommand_from ingest init' -F", ""])


def _quoted(text: str) -> str:
    """In single quotes, for any of the shells."""
    return "'" + text.replace("'", "'\\''") + "'"
