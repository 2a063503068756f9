"""Obsidian's settings of a vault, as far as memd follows them."""

from __future__ import annotations

import os

import pytest

from memd.disk.obsidian import settings
from tests.fakes.disk import grow


def test_excluded_files_and_template_folders_are_read(tmp_path):
    """`userIgnoreFilters` and the folders of both template plugins are found."""
    files = {
        ".obsidian/app.json": '{"userIgnoreFilters": ["Archive/", 3], "x": 1}',
        ".obsidian/templates.json": '{"folder": "Templates/"}',
        ".obsidian/plugins/templater-obsidian/data.json": '{"templates_folder": "模板"}',
    }
    found = settings(grow(tmp_path, files))
    assert (found.filters, found.templates, found.problems) == (("Archive/",), ("Templates", "模板"), ())


def test_a_vault_without_obsidian_has_no_settings(tmp_path):
    """Nothing there is nothing wrong."""
    assert settings(str(tmp_path)).problems == ()


@pytest.mark.parametrize("text", ["{", "[1]", "null", '{"userIgnoreFilters": 7}', "[" * 5000, b"\xff\xfe"])
def test_broken_settings_are_a_problem_at_most(tmp_path, text):
    """Settings of any other shape filter nothing and raise nothing."""
    found = settings(grow(tmp_path, {".obsidian/app.json": text}))
    assert found.filters == ()
    assert all(p.code == "obsidian_settings" for p in found.problems)


def test_settings_behind_a_link_or_a_pipe_are_not_followed(tmp_path):
    """A linked or special settings file is not read, and does not hang."""
    root = grow(tmp_path / "v", {".obsidian/x": ""})
    grow(tmp_path, {"app.json": '{"userIgnoreFilters": ["a"]}'})
    os.symlink("../../app.json", root + "/.obsidian/app.json")
    os.mkfifo(root + "/.obsidian/templates.json")
    found = settings(root)
    assert (found.filters, found.templates) == ((), ())
