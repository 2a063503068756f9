"""The questions that the steps from atoms on ask a model, and the type of each answer (`config/prompts/<task>.md`)."""

from __future__ import annotations

from memd.form.ownership import Assignment
from memd.form.profile import Patches
from memd.form.summaries import Summary
from memd.form.verdict import Verdict
from memd.form.weaving import Woven

ANSWERS: dict[str, type] = {
    "assign": Assignment,
    "verdict": Verdict,
    "summary": Summary,
    "chain": Woven,
    "profile": Patches,
}
