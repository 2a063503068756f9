"""How memory forms, pure: material → evidence → episodes → atoms → leaves → trees, chains, profile; and forgetting.

A step is a generator `step(vault, config, now, …) -> Asking`: it yields Questions, is sent their answers and returns
`(Plan, told)`. `now` is an aware datetime. Steps know a snapshot and what they are told; never the disk, the network or
the clock. `form.rules` answers offline what `llm` answers with a model and `agent` hands in.
"""
