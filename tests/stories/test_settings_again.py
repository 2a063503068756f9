"""SIGHUP: what the config says now holds from now on, and what is wrong in it is told."""

from __future__ import annotations

import os
import signal

import pytest

from memd.model.errors import Refused
from tests.fakes.home import Home

BASE = '[vectors]\nmodel = "off"\n'


def again(home: Home, text: str, code: str = "") -> list[dict[str, object]]:
    """The config's problems after it was read again; waits until there is one of that code, or none."""

    def told() -> list[dict[str, object]]:
        problems = home.call("memory.doctor")["problems"]
        return [p for p in problems if str(p["code"]).startswith("config")]

    home.config.write_text(text)
    assert home.process is not None
    os.kill(home.process.pid, signal.SIGHUP)
    home.until(lambda: [p["code"] for p in told()] == ([code] if code else []))
    return told()


def test_a_config_that_is_read_again_holds(home: Home) -> None:
    """A key that may change does at once. A text that is no TOML changes nothing; doctor names file and line. What needs a
    start is told, and taken back nothing is left to tell."""
    home.write("a.md", "a heron\n")
    home.start().settled()
    again(home, BASE + '[agents]\nconfirm = "all"\n[agents\n', "config_syntax")
    assert f"{home.config}, line 5: config_syntax" in home.log()
    home.call("memory.append", permalink="a", category="fact", text="stands still")
    again(home, BASE + '[agents]\nconfirm = "all"\n')
    for text in (BASE + "[agents\n", BASE + '[agents]\nconfirm = "all"\n[formation]\nfolder = "m"\n'):
        [problem] = again(home, text, "config_syntax" if text.endswith("[agents\n") else "config")
        assert problem["path"] == str(home.config)
        with pytest.raises(Refused, match="token"):
            home.call("memory.append", permalink="a", category="fact", text="fishes")
    assert problem["message"] == "[formation] `folder` was changed while memd ran"
    again(home, BASE)
    assert home.call("memory.append", permalink="a", category="fact", text="flies")["action"] == "appended"
