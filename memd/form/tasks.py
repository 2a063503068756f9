"""The type of the answer to each task that a model may be asked (`memd.model.question.Judge`): one schema, any source."""

from __future__ import annotations

from memd.form import atoms, episodes
from memd.form.ownership import Assignment
from memd.form.profile import Patches
from memd.form.summaries import Summary
from memd.form.verdict import Verdict
from memd.form.weaving import Woven

TYPES: dict[str, type] = {
    **episodes.ANSWERS,
    **atoms.ANSWERS,
    "assign": Assignment,
    "verdict": Verdict,
    "chain": Woven,
    "profile": Patches,
    "summary": Summary,
}
"""By task; the prompt of a task is `config/prompts/<task>.md`."""
