"""What is said in English and gone: of the task, of the moment, of the talk itself, out of politeness or feeling.

Patterns over one clause without its openers. Knows how such things are said. Never knows the dialogue round them.
"""

from __future__ import annotations

import re

from memd.form.rules import english, words_en
from memd.form.rules.facts import Subject

TASK = (
    r"^(?:i|we)(?:'d| would)?(?: just| only| also| really)? (?:want|need|like|prefer) (?:this|that|it|these|those|everything|(?:the|a|an|my|your|each|all) (?:[\w-]+ ){0,2}?"
    r"(?:tone|wording|phrasing|style|layout|opening|ending|intro|conclusion|font|table|list|text|answers?|output|summary|paragraphs?|essay|email|letter|code|function|script|result|response|reply|draft|title|headings?|report|columns?|rows?|chart|slides?|bullet points|file|version|sentences?|name|idea|synonym|recipe|slogan|caption|template|formula|joke|poem|outline))\b"
    r"|\bfor (?:this|that) (?:answer|question|task|reply|response|email|letter|one|conversation|chat|message|draft|exercise|prompt)\b|\bin this one\b|\b(?:under|within|at most|than|about|around|exactly) \d+ (?:words|characters|lines|sentences|pages|paragraphs)\b"
    r"|^(?:my|the) (?:function|code|script|query|program|regex|loop|build|tests?|compiler|container|pipeline) (?:returns?|throws?|fails?|crash(?:es)?|gives?|prints?|won't|doesn't|does not|is (?:failing|broken|crashing))"
    r"|\bin (?:json|csv|markdown|html|yaml|xml|latex|bullet points)\b"
)
"""What is asked of the answer at hand."""
_PIECE = (
    r"(?:lists?|dict(?:ionary)?|arrays?|data ?frames?|strings?|json|csv|functions?|class|scripts?|regex|spreadsheets?|columns?|rows?|cells?|formulas?|quer(?:y|ies)|tests?|errors?|bugs?|"
    r"footnotes?|headings?|titles?|intro|fonts?|files?|templates?|drafts?|paragraphs?|sentences?|slides?|placeholders?|loops?|tables?|code|synonyms?|slogans?|taglines?|captions?|headlines?|rhymes?|wording)"
)
WORKPIECE = (
    rf"^(?:i|we)(?:'ve| have|'m| am|'re| are)?(?: just| now| also| already)? (?:have|got|add|fix|change|rename|paste|copy|copied|ran|run|made|make|making|get|keep getting|need|want|look(?:ing)? for|updat|upload|convert|edit|delet|remov|insert|mov)"
    rf"(?:e?d|ing|s)? (?:the|a|an|your|some|that|this|these|my|all|wrong|another) (?:[\w-]+ ){{0,2}}?{_PIECE}\b|\b(?:get|getting|got|throws?|returns?) (?:a|an) (?:\d{{3}}|[\w-]+ ?(?:error|exception)|null|none)\b"
    r"|^(?:my|our|the) (?:query|function|code|script|regex|loop|formula|macro)\b|\bmake (?:head|heads) (?:n?or|and) tails?\b"
    r"|\b(?:the|your) (?:first|second|third|last|other|former|latter|left|right|top|bottom|next|previous)(?: (?:one|version|option|draft|paragraph|sentence|point|line|half|step))?(?: more| best| better| too)?[.!]*$"
)
"""Work on what lies before the speaker: none of it outlives the task."""
MOMENT = r"\b(?:back (?:later|soon|in)|brb|one (?:sec|moment|min)|on my way|ignore (?:that|it)|after this|in a (?:sec|minute|min|bit|mo)|for a sec|gotta (?:go|run|dash)|signal's|till then|until then)\b|^i(?:'m| am) (?:in|on) (?:a|the) (?:meeting|call|bus|train|tube|lift|queue)\b|^(?:(?:well|so|but|now),? )?i(?:'ve got| have| need)(?: got)? to (?:go(?! to (?!bed|sleep))|leave|run|head (?:off|out))\b(?=$|[.,!;]| (?:now|and|to bed|to sleep|rest|sleep|prepare|deal|make|cook|have|do)\b)"
"""Where one is just now."""
IDIOM = (
    r"\b(?:stand corrected|all ears|the foggiest|a clue|bone to pick|kill(?:ing)? (?:me|for)|pulling (?:your|my) leg|my two cents|over the moon|on cloud nine|under the weather|hands full|down in the dumps|at my wits' end|"
    r"in the same boat|on the same page|beats me|cross(?:ing|ed)? (?:my|our) fingers|fingers crossed|knock on wood|touch wood|hit the (?:road|hay|sack)|call it a day|take your time|been there|no offen[cs]e|rain check|not saying)\b"
    r"|^my (?:take|advice|guess|point|question|vote|bad|apologies|condolences|pleasure)\b|^the weather(?:'s| is| was| has)\b(?!.*\d)"
)
FORMULA = r"\b(?:hereby|the undersigned|to whom it may concern|find attached|attach(?:ed|ing) (?:is|are|the|my|a)|for your (?:perusal|reference|records|convenience)|yours (?:sincerely|faithfully)|per my last|as per)\b"
"""What letters say."""
UNNAMED = (
    r"^(?:(?:today|now|lately|recently|actually|also|but),? )*i(?:'ve| have)?(?: just| also)? (?:have|had|got|encountered|ran into|run into|met|face|faced|wanted to ask)"
    r" (?:a|an|another|one|some|you a) (?:\w+ )?(?:problem|question|issue|trouble|worr(?:y|ies)|difficult(?:y|ies))s?(?: (?:today|lately|recently|(?:about|with) [\w ]+))?\W*$"
)
"""A trouble of which only that it is one is said."""
PARTING = (
    r"\b(?:keep|stay)(?:ing)? in touch\b|\bwe(?:'ll| will| can| could| may)(?: also| still| always)? (?:talk|chat|speak)\b|\b(?:continue|keep|go on)(?: to)? (?:chat|talk)(?:ing)?\b|"
    r"^(?:then )?(?:so )?let's\b|^we learn from each other|\b(?:our|my|this|today's) chat\b|\b(?:talk|chat)(?:ing)? (?:to|with) you\b"
)
"""What is said to part, to keep in touch, or to begin to talk."""
VOW = (
    r"^(?:i|we)(?:'ll| will)(?: \w+ly| also| always| now| do my best to| try to| be sure to)* (?:be (?:sure|careful)|try|check|consider|practi[sc]e (?:more|and|it|this|them|these)|"
    r"pay (?:more )?attention|keep (?:it|this|that|these|those|them|practi[sc]ing|going)|take (?:your|it|this|that|note)|follow (?:your|it|this|that|these)|go (?:and )?(?:check|see|find|look)|"
    r"study (?:hard|and understand|it|this|these|them)|remember|look|do my best|give (?:it|this|that|them|these))\b|^i (?:can|could) (?:also|choose|try|consider)\b"
)
"""What is promised to the other side, whose advice it was."""
UNREAL = r"\b(?:in an ideal world|ideally|(?:was|were) (?:going|about|meant|supposed|planning) to\b.*\bbut\b|let's say|say i\b|wouldn't (?:mind|say no))\b"
GENERAL = r"\bcan (?:\w+ly )?\w+ (?:someone|somebody|anyone|people|everyone|lives|us|the world)|\bgo a long way\b|\b(?:can|enables?|allows?|brings?|gives?|provides?|enriches|makes?)\b(?: \w+){0,2}? (?:me|my|us|our)\b|\bis (?:also |really |truly )?(?:a|the) (?:\w+ )?(?:pleasure|challenge|foundation|blessing|joy|luxury)\b"
"""What a thing does to everybody."""
_POLITE = re.compile(
    r"^(?:i'd|i would|i|we'd|we) (?:like|love|want|need|appreciate) (?:(?:an?|the|your|that|this|more) (?:[\w-]+ ){0,3}(?:plan|update|list|draft|answer|summary|overview|breakdown|version|details|options?|alternatives?|guide|sheet|results|report|format|example|examples)\b|you|it if you|some|any|help|advice|suggestions?|a (?:quick|short|list|summary)|to (?:ask|know|see|understand|hear|get))\b",
    re.I,
)
_TALK = re.compile(
    r"^(?:i|we)(?:'m|'re| am| are)? look(?:ing)? forward to (?:hear|see|speak|meet|work|receiv|your?\b|it\b|this|that)|^(?:i|we)(?: have| had|'ve|'d)? decided(?:[,.!]|$)|"
    r"^(?:i|we)(?:'ll| will| shall) (?:reflect|revert|reply|respond|consider|get back|come back|be in touch|follow up|circle back)\b|"
    r"^(?:(?:the user )?(?:i|we) (?:just )?(?:said|mentioned|asked|told you|was asking|was saying|meant|explained|forgot to (?:say|mention|tell)|promise|swear|bet|agree|disagree|"
    r"think so|don't think so|see what|know what|like (?:that|the sound|your|it|this)|love (?:that|it|this|your)|appreciate|owe you|trust you|(?:\'ll|will) (?:send|show|tell|give|let|keep|share|text|call|ping|remind|check|try|take|see|do|be there|look|think|bring) (?:you|it|that|this|going|at it|up|a shot|a look|into)))\b|^(?:i|we)(?:\'ll| will) (?:send|show|tell|give|let|keep|share|text|call|ping|remind|check|try|take|see|do|look|think|bring) (?:you|it|that|this|going|at it|up|a shot|a look|into)\b|^there(?:\'s| is| was) (?:something|nothing|so much|a lot|no (?:doubt|way|point|need))\b",
    re.I,
)
_MAY = re.compile(r"(?<=\s)May\b")
_FEELING = re.compile(
    r"^(?:i|we)(?:'m|'re| am| are| was| were| feel| felt|'ll be| will be)(?: (?:just|still|also|always|really|so|very|super|pretty|quite|all|both|\w+ly))*"
    r" (?:happy|glad|excited|thrilled|stoked|pumped|eager|keen|proud|lucky|grateful|thankful|blessed|hono(?:u)?red|touched|inspired|motivated|impressed|curious|hopeful|"
    r"embarrassed|looking forward|ready|(?:here|off|about) (?:to|for)|on board|up for|all about|on it|in next time|(?:fine|good|ok|okay) with|down for|so|such|too)\b",
    re.I,
)
"""How one feels about what is told, or that one may begin: the telling itself says what it is about."""
_TOGETHER = re.compile(
    r"^we(?:'ve| have)?(?: (?:all|both))? (?:(?:all|both|each)\b(?! (?:\w+ed|went|had|took|saw|got|met|made|came|ate|ran|grew|won|lost)\b)|can|gotta|got (?:to|this)|keep|rock|come so far|make a)\b",
    re.I,
)
"""What holds of everybody."""
_OF_THE_TALK = re.compile(
    r"(?<=.)\b(?:we|you and i)(?:'ve|'d| have| had)?(?: (?:just|already|both|last|all))* (?:talked|spoke|spoken|discussed|chatted|finali[sz]ed|covered|outlined|rehearsed|went (?:over|through)|mapped out)\b"
    r"|^i(?:'d| would)?(?: just| really| also| still)* (?:want|wanted|like|love|need|needed) to (?:talk|discuss|chat|ensure|make sure|confirm|review|continue|say|share|tell|play)\b"
    r"|^i (?:was|have been|'ve been)(?: just| also)* (?:thinking|wondering) (?:about|if|of)\b|^i thought (?:we|i|it|this|that)\b"
    r"|\b(?:exactly|just|precisely) what (?:i|we)\b|^(?:now )?this is what (?:i|we)\b|^(?:the|my) (?:very )?(?:next|whole|main|best|worst|only|first|last|hardest|coolest) (?:part|thing|step|point|move|bit)\b",
    re.I,
)
"""Of the talk itself: what it was about before, what it is to be about, that it was right."""
_EXCLAIMED = re.compile(
    r"\bplease\b|\bhow (?:\w+ )?(?:it|they|this|that)\b|^(?:especially|just like|even (?:where|when|if|with)|not to mention|such as|as well as)\b|^no\b(?!.*\b(?:is|are|was|were|has|have|had|will|can|does|do|did)\b)"
    r"|^(?:i|we)(?: \w+ly)? (?:appreciate|look forward)\b|^(?:i|we) can(?: also)? (?:send|show|share|help|give|tell)\b|\bsome(?:where|thing|one) (?:fun|new|special|nice|cool|good|great|different|interesting|amazing)\W*$"
    r"|^(?:i|we) (?:need to be|expect)\b|^(?:i|we) hope (?:we|you|it|that|this|every|all)|\b(?:have|had|having) a (?:blast|ball)\b|\b(?:give|gave|giving) it (?:my|our) (?:all|best)\b"
    r"|^(?:i|we) can(?:'t)? (?:definitely|really|totally|even|imagine|picture|see|relate|feel|tell|wait|believe|waste|help but|just)\b"
    r"|^(?:i|we)(?:'ll| will) (?:make sure|come back|reach out|be ready|just|keep \w+ing|work hard|strive|stick|bring|do (?:my|our) best)\b"
    r"|^(?:i|we)(?:'ve| have)?(?: all| both| just| also)* (?:had|having|got|have) (?:(?:an?|some|the|so much|such an?|really|pretty) )*(?:\w+ )?(?:time|blast|fun|moment|news|story|ride)(?:[.!]*$| (?:last|this|yesterday|today|together|too|to (?:tell|share))\b)"
    r"|^(?:something|lots?|a lot|so much|much)\b.*\b(?:happened|happening|changed|going on)\b|^(?:i|we) (?:do|did|have|am|was|were|can|will)(?:n't)? (?:too|as well|also|so)\W*$",
    re.I,
)
"""What could stand in any talk."""
_SAID_ONLY = re.compile(
    r"\b(?:that much|like that|about that|(?:do|did|done|doing) (?:that|it|this|so)|just want(?:ed)? to)\b|^i just\b|\b(?:felt|feels?|feeling)\b(?! (?:about|that))",
    re.I,
)
_WISHED = re.compile(r"\bwould (?:also |really |still )?(?:rather|like|love|prefer|never)\b", re.I)
_ALWAYS = tuple(
    re.compile(pattern, re.I)
    for pattern in (TASK, words_en.DEFER, WORKPIECE, MOMENT, IDIOM, FORMULA, UNREAL, UNNAMED, PARTING, VOW)
)
_OWN = re.compile(r"(?<!and )(?<!or )\b(?:I|We|i|we)(?='|\b)")
_NAMED = re.compile(r"(?<=\s)[A-Z][a-z]+|\d")


def passes(text: str, who: Subject) -> bool:
    """Said of what may not be, of the task, of the moment, or out of politeness."""
    checked = _MAY.sub("Maytime", text)
    if english.matches(words_en.HYPOTHETICAL, checked) or english.matches(words_en.UNSURE, checked):
        return True
    if any(p.search(text) for p in _ALWAYS) or english.is_mood(text) or english.is_weak(text):
        return True
    own = _OWN.search(text) if who.kind == "owner" else None
    said = text[own.start() :] if own else text
    if any(p.search(part) for p in (_POLITE, _TALK, _OF_THE_TALK, _EXCLAIMED, _SAID_ONLY) for part in {text, said}):
        return True
    if not _NAMED.search(text) and (_FEELING.match(said) or _TOGETHER.match(said)):
        return True
    if who.kind != "owner" and re.search(r"\byou(?:r|'re|'ll)?\b", text, re.I):
        return True
    return bool(re.search(r"\b(?:would|should|ought to|used to be able)\b", text, re.I)) and not _WISHED.search(text)
