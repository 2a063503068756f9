"""The settings of a daemon: every key of `config/memd.toml` with its default. Frozen; units stand in the names or docs."""

from __future__ import annotations

from msgspec import Struct

FORMATS = ("auto", "jsonl", "chat", "markdown", "chatgpt", "claude", "mbox", "agent", "git")
"""What a file of talk or records may be, `auto` for whatever it looks like."""


class VaultConfig(Struct, frozen=True, forbid_unknown_fields=True):
    path: str = ""
    timezone: str = ""
    max_note: int = 8 * 1024 * 1024
    ignore: tuple[str, ...] = ()
    undo_days: int = 30


class DaemonConfig(Struct, frozen=True, forbid_unknown_fields=True):
    socket: str = ""
    spawn: bool = True
    idle_exit: int = 900
    scan_every: int = 30
    log_level: str = "warning"
    metrics_file: str = ""


class VectorsConfig(Struct, frozen=True, forbid_unknown_fields=True):
    model: str = "auto"
    query_budget_ms: int = 150
    threads: int = 0
    api_key_env: str = ""


class FormationConfig(Struct, frozen=True, forbid_unknown_fields=True):
    """Confidences are design section 4, "Admission and ownership"; ages in days, design section 4."""

    method: str = "rules"
    here: str | bool = "auto"
    seal: int = 8
    folder: str = "memory"
    every: int = 300
    admit: float = 0.82
    admit_corroborated: float = 0.60
    match: float = 0.60
    create: float = 0.68
    shortlist: int = 24
    stale_fact: int = 30
    stale_procedure: int = 14
    stale_reference: int = 7
    recent_days: int = 30
    profile_lines: int = 60
    profile_length: int = 300


class RetrieveConfig(Struct, frozen=True, forbid_unknown_fields=True):
    intent: str = "rules"
    intent_budget_ms: int = 2000


class LlmConfig(Struct, frozen=True, forbid_unknown_fields=True):
    base_url: str = ""
    model: str = ""
    api_key_env: str = ""
    timeout: int = 60
    max_tokens: int = 4096


class OwnerConfig(Struct, frozen=True, forbid_unknown_fields=True):
    name: str = ""
    aliases: tuple[str, ...] = ()


class AgentsConfig(Struct, frozen=True, forbid_unknown_fields=True):
    confirm: str = "never"


class SyncConfig(Struct, frozen=True, forbid_unknown_fields=True):
    merge: bool = True


class SocketConfig(Struct, frozen=True, forbid_unknown_fields=True):
    """A further socket with fewer rights; `folder` limits what it sees and writes."""

    path: str
    rights: tuple[str, ...] = ("read",)
    sensitive: bool = False
    folder: str = ""
    confirm: str = ""


class ImportConfig(Struct, frozen=True, forbid_unknown_fields=True):
    path: str
    format: str = "auto"
    every: int = 3600
    source: str = ""
    category: str = "integration"


class NamedVault(Struct, frozen=True, forbid_unknown_fields=True):
    name: str
    path: str


class Config(Struct, frozen=True, forbid_unknown_fields=True):
    vault: VaultConfig = VaultConfig()
    daemon: DaemonConfig = DaemonConfig()
    vectors: VectorsConfig = VectorsConfig()
    formation: FormationConfig = FormationConfig()
    retrieve: RetrieveConfig = RetrieveConfig()
    llm: LlmConfig = LlmConfig()
    owner: OwnerConfig = OwnerConfig()
    agents: AgentsConfig = AgentsConfig()
    sync: SyncConfig = SyncConfig()
    socket: tuple[SocketConfig, ...] = ()
    imports: tuple[ImportConfig, ...] = ()
    vaults: tuple[NamedVault, ...] = ()
