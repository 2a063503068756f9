"""Hypothesis without a clock: two cores are shared, and a slow moment is no fault."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("no clock", deadline=None)
settings.load_profile("no clock")
