"""English word lists: what a sentence is made of, as far as rules need to know. Data only."""

from __future__ import annotations


def _set(text: str) -> frozenset[str]:
    return frozenset(text.split())


PERSONS = _set(
    """aunt uncle cousin sister brother mother father mum mom mam dad parent parents grandma grandpa grandmother grandfather
    gran granny grandad son daughter kid kids child children baby nephew niece wife husband partner fiance fiancé fiancee
    fiancée girlfriend boyfriend spouse ex in-law mother-in-law father-in-law sister-in-law brother-in-law stepson
    stepdaughter stepmother stepfather twin siblings sibling family godmother godson goddaughter
    friend friends flatmate roommate housemate neighbour neighbor neighbours neighbors landlord landlady tenant colleague
    coworker co-worker boss manager supervisor assistant intern teammate teacher tutor professor student students coach
    trainer doctor dentist physio physiotherapist therapist nurse vet lawyer accountant plumber electrician gardener
    mechanic hairdresser barber cleaner nanny babysitter guy girl lady man woman buddy mate pal client customer
    bandmate classmate mentor pastor priest driver builder carpenter midwife carer caretaker agent editor chef captain
    choirmaster conductor trustee treasurer secretary chairman chairwoman councillor solicitor barrister surgeon optician
    dietitian counsellor psychologist pharmacist apprentice trainee lodger subtenant recruiter investor cofounder
    co-founder surveyor plasterer roofer decorator beekeeper vicar rabbi imam stepbrother stepsister grandson
    granddaughter godfather godchild stepfamily"""
)
BE = _set("am is are was were be been being 's 're 'm")
AUX = BE | _set(
    """has have had do does did will would can could shall should may might must won't wouldn't can't couldn't don't
    doesn't didn't isn't aren't wasn't weren't hasn't haven't hadn't cannot shouldn't ain't 'll 've 'd"""
)
ADVERBS = _set(
    """never always usually often still also just really only sometimes already currently actually generally normally
    mostly rarely hardly seldom finally recently now then even nearly almost probably definitely certainly simply kind
    sort both all each once twice soon later again ever too very quite rather first honestly occasionally regularly"""
)
NOT_NAMES = _set(
    """i the a an my our your his her its their this that these those there here it he she they we you what when where
    why who how which if unless because since after before while although though as once until and but or so yet for nor
    on in at by to from with without during about over under between into onto of off up down out every each all some
    any no not none one two three four five six seven eight nine ten last next yesterday today tomorrow tonight
    january february march april may june july august september october november december monday tuesday wednesday
    thursday friday saturday sunday mondays tuesdays wednesdays thursdays fridays saturdays sundays
    yes no yeah yep nope ok okay sure thanks thank hi hello hey bye good great nice cool wow oh ah well right please
    sorry congratulations haha lol perfect awesome amazing exactly absolutely definitely maybe perhaps probably
    actually honestly anyway also just still never always usually sometimes most more many much few both either neither
    someone somebody everyone everybody nobody anyone people turns guess looks sounds seems let lets did do does is are
    was were can could will would should have has had am speaking talking apparently currently recently finally
    mr mrs ms dr remember note remind write translate make put add book send draft change set fix check give tell show
    find call email schedule create turn keep use try help explain list sort summarise summarize rewrite shorten
    nature life music painting writing reading gaming art love god heaven earth home school work summer winter spring autumn fall
    christmas easter dogs cats kids books games coffee tea family health time food money success creativity nothing something
    everything anything glad excited thrilled proud happy sad tired bored pleased amazed delighted stunned thankful grateful
    thankfully luckily unfortunately fortunately sadly hopefully seriously totally exactly must such must've"""
)
VAGUE = _set(
    """i me my mine myself we us our ours you your yours he him his she her hers it its they them their theirs this that
    these those there here who whom which what when where why how the a an and or but so if then than as of to in on at by
    for from with without about into over under up down out off again too very really quite just only also even still
    not no nor never n't yes ok okay be am is are was were been being do does did done have has had having will would can
    could shall should may might must get gets got getting go goes going went gone come comes came coming make makes
    made making take takes took think thinks thought know knows knew see sees saw seem seems look looks looked feel feels
    felt say says said tell tells told ask mean means meant let lets want wants need needs like likes try tries keep
    thing things stuff something anything nothing everything someone anyone everyone one ones some any all both each
    every much many more most few less lot lots bit kind sort way ways time times good bad great nice fine well better
    best worse worst okay cool sure right wrong true false big small little long short new old same other another else
    maybe perhaps probably actually honestly basically now today tonight tomorrow yesterday later soon already yet ever
    always usually sometimes often anyway though although because since while until before after once don't doesn't
    didn't isn't aren't wasn't weren't won't wouldn't can't couldn't haven't hasn't hadn't i'm i've i'll i'd it's that's
    you're you've we're we've they're he's she's let's there's what's idea ideas point sense please thanks thank sorry
    hear heard glad happy sad tired fun funny hard easy enough almost nearly back around here's mind day days week
    moment minute while works work worked hope hopes guess suppose believe wonder figure sounds sounded think'll
    haven't decided decide decision sleep pass overkill worth options option both either neither suggestion suggestions
    advice help helps helped helpful useful interesting interested perfect star love loved start started agree joking laughed wondering curious convinced impressed surprised amazed grateful thankful lucky jealous relieved confused lost stuck ready busy free welcome kidding appreciate promise bet swear curious pleased speechless intrigued onto nearby together sounds super absolutely totally completely exactly definitely certainly cheers yeah yep"""
)
TIME_WORDS = _set(
    """yesterday today tomorrow tonight now currently recently lately nowadays last next this every each on in at since
    after before until when while during from by for because although though as once if unless two three four five six
    usually sometimes normally most some these ago twice"""
)
SUBORDINATE = _set("since because although though as once until when while after before whenever where wherever")
INSTRUCTIONS = _set(
    """write rewrite translate summarise summarize shorten paraphrase proofread draft turn convert edit rephrase polish
    compose generate format correct fix check explain describe list give show tell find search look help make create
    add remove delete put set use keep change replace move sort order rename run open close send email call book
    schedule plan calculate compute compare count analyse analyze review suggest recommend pick choose answer respond
    reply continue stop start try skip ignore leave drop cut bold reformat expand outline brainstorm imagine pretend
    act play let's lets please don't print read repeat forget remind sketch design name title caption stick go come
    wait hold have be think consider assume say spell define quote cite include exclude mention avoid
    stay switch tweak adjust trim tighten soften number mark highlight group merge split extract fill round"""
)
MATERIAL = _set(
    """write rewrite translate summarise summarize shorten paraphrase proofread draft turn convert edit rephrase polish
    compose generate format correct reformat expand outline caption tighten soften trim tweak extract analyse analyze
    review make put title"""
)
"""Instructions that work on words: what stands beside them is material, not a statement."""
MOOD = _set(
    """tired exhausted knackered shattered sad happy glad fed bored stressed anxious angry annoyed frustrated grumpy
    cranky lonely miserable overwhelmed drained meh blah ugh sigh excited thrilled sleepy hungry starving down low upset
    depressed gutted numb restless fine okay ok alright good great awful terrible rubbish rough lousy weird off hopeless
    over done spent wiped jittery gloomy moody worn stoked inspired pumped hooked psyched liberated empowered motivated crushed flat numb swamped busy fuming buzzing proud grateful relieved worried nervous confused lost delighted bummed livid furious"""
)
PLAN = _set(
    """plan plans planning planned intend intends intending going want wants hope hopes hoping mean means aim aims
    will 'll shall decided booked signed expect expects due about considering thinking would hoped"""
)
HABIT = _set("every always usually never often sometimes normally daily weekly monthly mostly rarely each")
JOKE_MARKS = (
    "haha",
    "hehe",
    "lol",
    "lmao",
    "rofl",
    "just kidding",
    "only kidding",
    "i'm kidding",
    "i kid",
    "joking",
    "jk",
    "😂",
    "🤣",
    "😜",
    "😆",
    "😝",
    "/s",
    "not really!",
    "just joking",
    "said no one",
)
HYPERBOLE = (
    r"\bto death\b",
    r"\bcould eat a\b",
    r"\b(?:chief|official|head|senior|executive|minister|director|president|ambassador)(?: of| for| to)? (?:the )?(?:cats?|dogs?|kittens?|pupp(?:y|ies)|snacks?|biscuits?|naps?|sofa|couch|remote|socks?|laundry|bins?)\b",
    r"\bcould (?:sleep|eat|drink|live|cry|kill|murder)\b",
    r"\ba (?:million|billion|thousand|zillion|gazillion)\b",
    r"\b(?:million|billion|zillion|thousand)s? (?:times|of|years|tabs|things)\b",
    r"\bfor (?:centuries|ages and ages|a thousand years|a hundred years|an eternity|eternity)\b",
    r"\b(?:half )?dead\b.*\btired\b",
    r"\bmade of (?:coffee|caffeine|tea|chocolate|pizza|sugar|cheese)\b",
    r"\b(?:99|90|80|70|60|50|110|200)\s?(?:%|percent|per cent) (?:coffee|caffeine|tea|cheese|chocolate|pizza|water|sarcasm|sugar)\b",
    r"\bmy (?:blood(?:stream)?|veins) (?:is|are|type)\b",
    r"\b(?:my )?(?:brain|head) (?:is|has) (?:melted|mush|exploding|exploded|fried|left)\b",
    r"\bprofessional (?:napper|procrastinator|overthinker|snacker|worrier|sleeper)\b",
    r"\bblack belt in\b",
    r"\b(?:phd|doctorate|degree|masters?) in (?:procrastin\w+|napping|overthinking|snack\w+|sarcasm|worrying)\b",
    r"\bmarried to my\b",
    r"\bsold my soul\b",
    r"\brul(?:e|es|ing) the world\b",
    r"\btak(?:e|es|ing) over the world\b",
    r"\bworld domination\b",
    r"\b(?:weighs?|weighed) a ton\b",
    r"\bcosts? (?:an arm|a kidney|my soul)\b",
    r"\bsell(?:ing)? (?:a|my) kidney\b",
    r"\bpossessed\b|\bhaunted\b|\bcursed\b|\bsentient\b|\bplotting\b|\bunioni[sz]ed\b|\bgone on strike\b|\bon strike\b.*\b(?:fridge|printer|cat|dog|car|kettle|laptop)\b",
    r"\bin (?:a|my) (?:past|previous|former) life\b",
    r"\bif i had a (?:penny|pound|dollar|euro|nickel)\b",
    r"\b(?:before|since) dinosaurs\b|\bdinosaur\b.*\b(?:age|old)\b",
    r"\blegally (?:a|an|adopted by|married)\b",
    r"\bspeaking terms\b",
    r"\bfiled for divorce\b",
    r"\b(?:raised|brought up) by wolves\b",
    r"\bsecret(?:ly)? (?:agent|a spy|an alien|royalty|a wizard|a vampire)\b",
    r"\b(?:a|an) (?:alien|vampire|wizard|ghost|zombie|superhero|ninja|pirate|robot|unicorn|dragon)\b",
    r"\bat this rate\b|\baged \w+ years?\b|\bsun burns out\b|\bwork of fiction\b|\bhell freezes\b|\bdog years\b|\bheat death\b|\bfluent in (?:sarcasm|procrastination)\b|\bolympic (?:sport|level|procrastinat\w+)\b|\brestraining order\b",
    r"\b(?:runs?|running|ran|powered|fuelled|fueled) (?:entirely )?(?:on|by) (?:coffee|caffeine|spite|chocolate|tea|biscuits|sheer|pure|panic|hope)\b|\bstaff for (?:my|the) cats?\b|\bmy (?:cat|dog)(?:'s)? (?:servant|butler|landlord|boss|secretary|assistant)\b|\bthe cat owns\b",
    r"\bsee(?:ing)? other people\b|\bbroken up with my\b|\bin a (?:committed|long-term|toxic) relationship with my\b|\b(?:memory|patience|attention span|appetite|reflexes|grace|elegance|willpower|work ethic|brain) of an? \w+|\brestraining order\b|\bmy (?:fridge|bed|sofa|couch|inbox|cat|dog) (?:and i|misses me|and me)\b",
    r"\b(?:ceo|dictator|king|queen|emperor|overlord) of (?:this|the|our|my) (?:house|home|household|family|sofa|couch|flat)\b|\bunpaid (?:intern|butler|chauffeur|taxi|servant|maid|assistant)\b",
    r"\b(?:i have|i've got|i've|i got|has|with) the \w+ of an? \w+",
    r"\b(?:basically|practically|essentially) (?:a|an|the|my)\b|^breaking(?: news)?\b|^(?:newsflash|plot twist)\b",
    r"\b(?:is|am|are|i'm) (?:about |roughly )?\d+ ?(?:%|percent) (?!of\b|off\b|sure|certain|deaf|blind|done|remote|disabled|owner|full|funded|paid)[a-z]+",
    r"\bask anyone\b",
    r"\beats?, sleeps?,? (?:and|&)\b|\blive and breathe\b",
    r"\bmars\b|\bnarnia\b|\bhogwarts\b",
)
UNLIKELY_ACTORS = _set(
    """code printer laptop computer fridge kettle car bike phone toaster cat cats dog dogs goldfish plant plants cactus
    alarm sofa couch bed pillow inbox spreadsheet calendar washing boiler vacuum roomba algorithm wifi router keyboard
    hamster rabbit parrot tortoise houseplant sourdough starter bank wallet diet knee knees stomach brain oven
    dishwasher umbrella socks sock todo houseplants printers toasters pigeons pigeon seagull seagulls squirrel squirrels hens hen goat goats snail snails spider spiders ducks duck"""
)
HUMAN_ACTS = (
    r"\b(?:asked|demands?|demanded|thinks?|believes?|says|said|tells?|told|refuses?|promised|plans|planning|plotting|judg(?:es|ed|ing)|laugh(?:s|ed|ing)|hates?|"
    r"despises?|resent(?:s|ed)|wrote|writes|filed|hired|fired|runs? the|owns? (?:me|the)|manag(?:es|ed|ing)|negotiat\w+|voted|votes|elected|"
    r"retired|quit|resigned|applied|graduated|married|divorced|apologi[sz]ed|complain(?:s|ed)|sends? me|charges me|pays? rent|"
    r"cooked|made me|started (?:a|charging|calling)|is in charge|has opinions|has feelings|(?:hold|holds|held|call|calls) (?:a |their |its )?meetings?|conspir\w+|gossip\w*|social life|than me\b|than mine\b|knows my|sighs?|sighed|therapist|my boss|ghosted|dumped|weeps?|wept|cries|screams?)\b"
)
HEARSAY = (
    r"\b(?:apparently|allegedly|supposedly|reportedly|rumou?rs?|word is|they say|people say|i hear|i heard|i've heard|heard that|i read|i've read|"
    r"read (?:somewhere|that|online|in)|according to|^(?:my|the|this|that) [\w ]{2,25}? says? (?:i|we|my)\b|as (?:my|the|they|we) (?:[\w-]+ ){0,3}(?:say|says|said|used to say)|it says|says? (?:here|that|the)|reads \"|claims?|claimed|reckons?|gossip|told me|tells me|said (?:that|he|she|they|it|the)|says (?:he|she|they|it|we|you|i)|overheard|someone said|somebody said|"
    r"everyone says|told everyone|the (?:article|paper|news|poster|sign|plaque|leaflet|website|forum|review|blog|post|label|book|author|guide|podcast|film|movie|show) (?:says|said|reads|claims|mentions|mentioned|explains|explained|talks|talked|describes|described))\b"
)
FICTION = (
    r"\b(?:dreamt|dreamed|(?:a|this|my) (?:\w+ )?(?:dream|nightmare) (?:last night|where|in which|that i)|in (?:my|the|a) dreams?|i had (?:a|this|the) (?:\w+ )?(?:dream|nightmare)|(?:i|we) (?:almost|nearly) (?=[a-z]+ed\b|became|was|went|got|bought|took|had)|"
    r"in (?:the|my|this|our|a) (?:game|novel|story|script|screenplay|film|movie|campaign|play|sims)|(?:characters?|protagonist|narrator|hero|heroine|villain) (?:in|of) (?:my|the))\b"
)
"""A dream, a story, what nearly was: none of it is so."""
HYPOTHETICAL = (
    r"\b(?:if|unless|suppose|supposing|imagine|assuming|in case|provided|what if|were (?:i|we) to|had i|should (?:i|we|the)|wish|as long as|otherwise|"
    r"hypothetically|in theory|depending on|depends on|whether)\b"
)
UNSURE = (
    r"\b(?:must (?:be|have|feel|get|say)|must've|maybe|perhaps|might|could|may(?! \d)(?!\b[ ,]*$)|not sure|no idea|don't know|dunno|i guess|i suppose|possibly|probably not|who knows|"
    r"can't decide|undecided|(?:not|n't) (?:yet )?(?:figured|worked|found) out|haven't decided|hmm+|toying with|tempted|sort of want|or something|unsure)\b"
)
DEFER = (
    r"\b(?:think (?:about|on|it) (?:it|that|this|them|over|both)|think it over|think about|sleep on it|let me (?:think|see|check)|get back to you|"
    r"haven't decided|not decided|will see|we'll see|i'll see|i'll consider|consider (?:it|that|both|them)|not now|maybe later|"
    r"i'll pass|keep (?:it|that|both|them) in mind|look into (?:it|that|them)|no rush|leave it (?:for now|open)|come back to|park (?:it|that)|"
    r"not convinced|on the fence|make up my mind|mull)\b"
)
ACCEPT = (
    r"\b(?:let's (?:do|go with|take|use|try|make it)|i'll (?:do that|go with|take|go for|use|have|try|book|sign up|order|switch)|we'll (?:go with|do|take|use|go for)|"
    r"going with|go with|sounds (?:good|great|perfect)[,;:. ]|deal\b|done\b[,;:. ]|sold\b|agreed|settled|that one|i'm in\b|count me in|sign me up|"
    r"(?:good|great|nice|lovely|fine|brilliant) (?:idea|suggestion|thinking|plan|call)|works for me|yes,? (?:please|let's|do)|i like (?:that|it|the)|i'm (?:taking|getting|doing|going for|booking|using)|"
    r"it is then|then\.?$|it is\.?$|i(?:'ve| have)? (?:booked|ordered|bought|signed up|taken|decided on|chosen|picked|went with|did that)|i took your|as you suggested|your (?:idea|suggestion|advice))"
)
REJECT = (
    r"\b(?:no\b|nope|not (?:for me|really|that|the|keen|convinced|going)|rather not|don't (?:think so|like|want|fancy|need)|won't|overkill|too (?:much|far|expensive|early|late|long)|skip|forget (?:it|that)|"
    r"against|instead of|decided against|never mind|pass on|turn(?:ed)? (?:it|that) down|not yet)\b"
)
CORRECTION = (
    r"^no,|\b(?:sorry,|correction|i meant|i mean\b|scratch that|make that|no,? wait|wait,? no|(?:wait|hang on|hold on),|actually,?|typo|misspoke|misread|mixed (?:it|that|them) up|got (?:it|that) wrong|my mistake|my bad|i was wrong|"
    r"that's wrong|not quite|rather,|oops|whoops|mistyped|got that wrong|mixed up|let me correct|to correct|i should have said|should be|strike that)"
)
CHANGE = (
    r"\b(?:now|no longer|any ?more|instead|changed|moved|since|switched|these days|as of|from now on|turns out|has been|have been|is off|cancelled|"
    r"canceled|postponed|brought forward|pushed back|put back|rescheduled|updated?|after all|not any|is now|are now|gone up|gone down|rose|dropped)\b"
)
CREDENTIALS = (
    r"\b(?:password|passphrase|passcode|passwd|pwd|pin(?: code| number)?|otp|one-time code|verification code|api[ -]?key|secret key|"
    r"access token|auth token|bearer|token|private key|cvv|security code|recovery code|seed phrase|2fa code|login code)\b"
)
SMALL_TALK = (
    r"^(?:thanks?\b|thank you|thx|cheers|ta\b|ta-ta|hi\b|hello|hey\b|bye|goodbye|good (?:morning|night|evening|afternoon)|see you|talk (?:soon|later)|"
    r"take care|have a (?:good|great|nice|lovely)|you're (?:a star|the best|welcome|right|kidding)|congrat|well done|nice one|no worries|no problem|"
    r"happy (?:birthday|new year)|merry|sounds|wow|awesome|amazing|great\b|cool\b|perfect\b|lovely\b|nice\b|brilliant\b|exactly|absolutely|definitely|"
    r"ok\b|okay|sure\b|right\b|got it|understood|i see\b|fair enough|true\b|same here|me too|good luck|anyway\b[,.! ]*$|that's (?:great|good|nice|cool|awesome|amazing|right|true|it|all|fine|lovely|wonderful|fantastic|so)|"
    r"it's (?:fine|ok|okay|nothing|all good)|one of those days|never mind|long story|i owe you|much appreciated|appreciate it|glad to|so glad|nothing much|not much)"
)

EVALUATIONS = _set(
    """awesome amazing incredible great wonderful fantastic beautiful cool fun special important lovely brilliant terrific superb
    pretty excellent unpredictable thought-provoking intriguing impressive inspiring inspirational nice good bad terrible awful horrible interesting exciting stunning gorgeous cute sweet
    delicious tasty yummy perfect unreal magical breathtaking peaceful relaxing calming refreshing rewarding fulfilling worth
    worthwhile valuable powerful touching moving adorable funny hilarious epic sick rad neat super blast joy vibe vibes energy solid electric soothing
    vivid fancy infectious captivating talented calming hilarious"""
)
"""Words that judge a thing and tell nothing of it."""
PUBLIC_ACTS = r"\b(?:cancel|clos|open|mov|build|built|chang|announc|fix|replac|postpon|reschedul|shut|extend|rais|lower|sold|sell|demolish|renam|introduc|delay|deliver|approv|reject|increas)\w*\b"
