"""The metrics file for node_exporter's textfile collector: whole, in its format, without anything that somebody wrote."""

from __future__ import annotations

import re
from pathlib import Path

from memd.daemon.measure import Measures
from tests.fakes.home import Home

LINE = re.compile(
    r'# TYPE memd_[a-z_]+ (?:gauge|counter)|memd_[a-z_]+(?:\{[a-z]+="[^"]*"(?:,[a-z]+="[^"]*")*\})? [0-9.e+-]+'
)


def test_counts_and_times_stand_under_their_types(tmp_path: Path) -> None:
    """Samples of one name stand together, as the format wants it; nothing is left beside the file."""
    measures = Measures()
    for n in range(20):
        measures.observe("memory.search", n / 1000, "ok")
    measures.observe("memory.read", 0.001, "not_found")
    file = tmp_path / "memd.prom"
    measures.write(str(file), {"notes": 3})
    lines = file.read_text().splitlines()
    assert all(LINE.fullmatch(line) for line in lines)
    assert "memd_notes 3" in lines
    assert 'memd_calls_total{method="memory.search"} 20' in lines
    assert 'memd_errors_total{method="memory.read"} 1' in lines
    assert 'memd_duration_ms{method="memory.search",quantile="0.95"} 19' in lines
    names = [re.split("[{ ]", line)[0] for line in lines if not line.startswith("#")]
    assert names == sorted(names, key=lambda name: names.index(name))
    assert [each.name for each in tmp_path.iterdir()] == ["memd.prom"]


def test_a_daemon_writes_it_while_it_runs(tmp_path: Path) -> None:
    """Where `[daemon] metrics_file` names one; queries are not in it."""
    home = Home(tmp_path, f'[vectors]\nmodel = "off"\n[daemon]\nmetrics_file = "{tmp_path}/memd.prom"\n')
    home.write("a.md", "tea\n")
    try:
        home.start()
        home.call("memory.search", query="oolong-secret")
        text = home.until(lambda: (tmp_path / "memd.prom").exists() and (tmp_path / "memd.prom").read_text())
        assert "memd_notes" in text
        assert "oolong" not in text
        assert all(LINE.fullmatch(line) for line in text.splitlines())
    finally:
        home.end()
