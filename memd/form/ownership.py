"""Whose leaf it is: the second decision. One leaf, one tree; ids and slugs made here and nowhere else.

Knows entities, names and the vault's owner. Never knows whether a thing is worth keeping. No match is no reason to
create: a new entity needs a subject that is a name and not a word for whatever is at hand.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from msgspec import Struct

from memd.edit.titles import slug
from memd.form.admit import confidence_of
from memd.form.keys import folded, listed
from memd.form.view import UNCATEGORIZED, Memory
from memd.model.config import Config
from memd.model.fingerprint import fingerprint
from memd.model.memory import Atom
from memd.model.note import Note

TYPES = ("project", "workflow", "preference", "identity", "person", "customer", "system", "topic", "misc")

OWNER_WORDS = frozenset(
    "user|the user|owner|the owner|i|me|myself|speaker|human|用户|我|本人|自己|使用者|主人".split("|")
)
_GENERIC = frozenset(
    (
        "it|its|this|that|these|those|he|she|they|him|her|them|we|us|you|one|ones|someone|somebody|something|"
        "anything|everything|nothing|thing|things|stuff|matter|issue|problem|topic|item|items|fact|people|person|"
        "everyone|somewhere|there|here|what|who|which|other|others|another|unknown|none|misc|general|the thing|"
        "它|他|她|它们|他们|她们|这|那|这个|那个|这些|那些|这里|那里|东西|事情|事|问题|某人|某事|有人|大家|人|别人|对方|"
        "什么|谁|其他|其它|某个东西|这件事|那件事|未知|我们|你|你们|咱们"
    ).split("|")
)
_ARTICLE = re.compile(r"^(the|a|an)\s+")
_WORD = re.compile(r"\w", re.UNICODE)


class Entity(Struct, frozen=True):
    """A tree that may own a leaf. `names` are folded."""

    tree: str
    name: str
    type: str
    names: frozenset[str]
    owner: bool = False
    path: str = ""
    aliases: tuple[str, ...] = ()


class Owned(Struct, frozen=True):
    """`decision`: match_existing, create_new, fallback, source. `made` is the entity to be created, if any."""

    tree: str
    decision: str
    reason: str
    match: float = 0.0
    create: float = 0.0
    made: Entity | None = None


class Assignment(Struct, frozen=True, omit_defaults=True):
    """Answer to the task `assign`: match_existing with a tree of the shortlist, create_new with name and type, fallback."""

    action: str
    entity: str = ""
    name: str = ""
    type: str = "topic"
    secondary: tuple[str, ...] = ()
    confidence: float = 0.0
    rationale: str = ""


def entity_of(tree: str, note: Note | None) -> Entity:
    """What its file says; the name that its id was made of is still its own where a person renamed or deleted the file."""
    keys = note.frontmatter if note else {}
    name = str(keys.get("name") or (note.title if note else "") or tree.partition(":")[2])
    aliases = tuple(dict.fromkeys((*listed(keys.get("aliases")), *(note.aliases if note else ()))))
    owner = keys.get("owner") is True
    slugged = tree.partition(":")[2]
    names = {folded(n) for n in (name, *aliases, slugged, slugged.replace("-", " ")) if n}
    return Entity(
        tree, name, str(keys.get("entity_type", "topic")), frozenset(names), owner, note.path if note else "", aliases
    )


def entities(memory: Memory) -> tuple[Entity, ...]:
    """Entities of the interaction category, by tree."""
    return tuple(
        entity_of(tree, note)
        for tree, note in memory.trees.items()
        if tree.startswith("interaction:") and tree != UNCATEGORIZED
    )


def owner_entity(known: Iterable[Entity], config: Config) -> Entity:
    """The vault's owner: the entity so marked, else one that has the configured name, else the one that is to be made."""
    known = tuple(known)
    names = {folded(n) for n in (config.owner.name, *config.owner.aliases) if n}
    marked = next((e for e in known if e.owner), None)
    found = marked or next((e for e in known if e.names & names), None)
    name = config.owner.name or "user"
    if found is None:
        slugged = slug(name)
        found = next((e for e in known if e.tree == f"interaction:{slugged}"), None)
        found = found or Entity(f"interaction:{slugged}", name, "person", frozenset(), True)
    every = found.names | names | OWNER_WORDS | {folded(name)}
    return Entity(found.tree, found.name, found.type, frozenset(every), True, found.path, found.aliases)


def is_name(subject: str) -> bool:
    """Positive evidence of a stable subject: it names something, and is not a word for whatever is at hand."""
    plain = _ARTICLE.sub("", folded(subject))
    if not plain or plain in _GENERIC or folded(subject) in _GENERIC or not _WORD.search(plain):
        return False
    if re.match(r"^(this|that|these|those|some|any|my|your|his|her|their|our|its)\s+\w+$", plain):
        return plain.startswith(("my ", "our ")) and plain.split()[1] not in _GENERIC
    return len(plain) <= 80 and not plain.isdigit() and (len(plain) > 1 or "\u4e00" <= plain <= "\u9fff")


def shortlist(known: Iterable[Entity], text: str, subject: str, limit: int) -> tuple[Entity, ...]:
    """The entities nearest to an atom, at most `limit`: same name first, then a name inside the text, then shared words."""
    low, said = folded(text), folded(subject)
    words = frozenset(re.findall(r"\w+", f"{low} {said}"))

    def near(entity: Entity) -> tuple[int, int, str]:
        inside = any(n and (n in low or n in said) for n in entity.names)
        shared = max((len(words & _words(n)) for n in entity.names), default=0)
        return (-(2 if said in entity.names else 1 if inside else 0), -shared, entity.tree)

    ranked = sorted(((near(e), e) for e in known), key=lambda pair: pair[0])
    return tuple(e for (named, shared, _), e in ranked if named or shared)[:limit]


@lru_cache(maxsize=8192)
def _words(name: str) -> frozenset[str]:
    return frozenset(re.findall(r"\w+", name))


def tree_id(name: str, taken: Iterable[str] = ()) -> str:
    """`interaction:<slug>`, Chinese kept; another name with the same slug gets a hash behind it."""
    made = f"interaction:{slug(name)}"
    return f"{made}-{fingerprint(folded(name))[:4]}" if made in set(taken) or made == UNCATEGORIZED else made


def source_tree(source: str) -> str:
    return f"integration:{source.strip() or 'unknown'}"


def decide(atom: Atom, known: tuple[Entity, ...], owner: Entity, config: Config) -> Owned:
    """Rows 2 to 4 of the matrix. The subject decides: equal to a name on the shortlist it matches, else it must be a
    name itself to be created, else the leaf waits under `uncategorized`."""
    given, limits = confidence_of(atom), config.formation
    subject = atom.entity or atom.subject
    if subject == UNCATEGORIZED:
        return Owned(UNCATEGORIZED, "fallback", "it was handed over without an owner")
    if folded(subject) in owner.names:
        decision, made = ("match_existing", None) if owner.path else ("create_new", owner)
        return Owned(owner.tree, decision, "it is about the vault's owner", 1.0, made=made)
    short = shortlist(known, atom.text, subject, limits.shortlist)
    if found := next((e for e in short if folded(subject) in e.names or subject == e.tree), None):
        sure = given.match or 1.0
        if sure >= limits.match:
            return Owned(found.tree, "match_existing", f"the subject is {found.name}", sure)
    if is_name(subject):
        sure = given.create or 0.9
        if sure >= limits.create and not found:
            return _made(subject, atom.entity_type, known, sure, f"{subject} is a subject of its own")
        unsure = f"too little certainty whose it is ({max(given.match, given.create):.2f})"
        return Owned(UNCATEGORIZED, "fallback", unsure, given.match, given.create)
    return Owned(UNCATEGORIZED, "fallback", "it names no subject that could be found again", given.match, given.create)


def _made(name: str, type: str, known: tuple[Entity, ...], sure: float, reason: str) -> Owned:
    tree = tree_id(name, (e.tree for e in known))
    kind = type if type in TYPES else "topic"
    return Owned(tree, "create_new", reason, create=sure, made=Entity(tree, name, kind, frozenset({folded(name)})))


def assigned(answer: Assignment, short: tuple[Entity, ...], known: tuple[Entity, ...], config: Config) -> Owned:
    """A model's assignment held against the guards: an id that was not offered counts for nothing."""
    limits, sure = config.formation, answer.confidence
    found = next((e for e in short if e.tree == answer.entity), None)
    if answer.action == "match_existing" and found and sure >= limits.match:
        return Owned(found.tree, "match_existing", answer.rationale or f"the subject is {found.name}", sure)
    if answer.action == "create_new" and sure >= limits.create and is_name(answer.name) and answer.type in TYPES:
        same = next((e for e in known if folded(answer.name) in e.names), None)
        if same:
            return Owned(same.tree, "match_existing", f"the subject is {same.name}", sure)
        reason = answer.rationale or f"{answer.name} is a subject of its own"
        return _made(answer.name, answer.type, known, sure, reason)
    if answer.action == "match_existing" and not found:
        return Owned(UNCATEGORIZED, "fallback", "the answer named an entity that was not on the shortlist")
    return Owned(UNCATEGORIZED, "fallback", answer.rationale or "too little certainty whose it is")
