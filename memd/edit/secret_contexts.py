"""Credentials that show by the words around them, in English and Chinese: passwords, one-time codes, tokens by name.

Talk about passwords is no password: what stands after the word must look like one. Never knows where a text came from.
"""

from __future__ import annotations

import re

from memd.edit.secret_rules import (
    Rule,
    assigned,
    generated,
    has_digit,
    mixed,
    name_like,
    password,
    phrase,
    random,
    rule,
)

_I = re.IGNORECASE

_NAME = (
    r"(?:api[ _-]?key|apikey|secret[ _-]?key|client[ _-]?secret|app[ _-]?secret|app[ _-]?key|access[ _-]?key(?:[ _-]?id)?|auth[ _-]?key"
    r"|(?:access|refresh|auth|api|bot|session|upload|deploy|csrf|id|bearer|personal|user|login)?[ _-]?token|signing[ _-]?(?:key|secret)"
    r"|encryption[ _-]?key|private[ _-]?key|session[ _-]?(?:id|key|cookie)|sessionid|phpsessid|jsessionid|connect\.sid|cookie"
    r"|credentials?|secret|license[ _-]?key|webhook[ _-]?secret|sessdata|令牌|权杖|密钥|金钥|秘钥|私钥|凭证|凭据|授权码|激活码)"
)
_LINK = r"[\"'`]?(?:\s*(?:'s|is|was|are|value|here|now|还|就|现在|已经)\b|\s*(?:就是|是|为|叫|改成了?|换成了?|设成|设为))*\s*[:=>]{0,2}\s*[\"'`「“‘<]?"
_WORD = r"(?:password|passwd|passphrase|passcode|\bpwd|_pwd|密码|(?<!数)口令|パスワード)(?![学本锁箱保管器])(?!s?[ _-](?:manager|hash|polic|length|vault|strength))"
_WORDS = "password passwd pwd passphrase passcode 密码 口令 パスワード"
_SET = (
    r"(?:'s\b|\b(?:is|was|are|to|as|with)\b(?:\s(?:now|still|just|simply|currently|set to)\b)*"
    r"|(?:就|现在|已经|已|统一|默认|初始|还|都|又|我|给你|被|重新)*"
    r"(?:用的是|是|为|叫|(?:[改变设换]|修改|变更|设置|重置)[成为]了?|写|填|输入?|は|:|=))\s*"
)
_VALUE = r"[\"'`「“‘]?(?P<s>[!-~]{4,64})(?!\s*[年月日号位次个天条家种])"

_CODE = r"(?:(?:verification|security|one[- ]?time|otp|auth(?:entication|enticator)?|login|log-in|sign[- ]?in|access|2fa|two[- ]factor|mfa|sms|confirmation|activation|unlock|reset|door|gate|alarm|entry|lock)\s+(?:pass)?code|one[- ]time\s+(?:password|pin)|\botp|passcode|2fa)"
_ZH_CODE = r"(?:(?:验证|校验|动态|确认|认证|安全|短信|登[录入]|口令|提取|取款)码|动态密码|一次性(?:密码|口令|代码)|(?:验证|认证)代码)"
_ZH_CODES = "码 动态密 一次性 代码"

CONTEXTS: tuple[Rule, ...] = (
    rule(
        "token in context",
        "key token secret session cookie connect.sid credential sessid sessdata 令牌 权杖 钥 凭 授权码 激活码",
        _NAME + _LINK + r"(?P<s>[A-Za-z0-9_+/=.~-]{12,})",
        random,
        _I,
    ),
    rule(
        "token in context",
        "key token secret 令牌 密钥",
        r"(?:api[ _-]?key|secret[ _-]?key|client[ _-]?secret|app[ _-]?secret|_key|_token|_secret|access[ _-]?token|令牌|密钥)"
        r"[\"']?\s*[:=]\s*[\"']?(?P<s>[A-Za-z0-9_+/=.~-]{8,})",
        mixed,
        _I,
    ),
    rule(
        "password",
        _WORDS,
        _WORD
        + r"[\"'`]?\s*(?:\([^)\n]{0,30}\)\s*)?[:=>]+[^\S\n]*(?P<s>\"[^\"\n]{4,64}\"|'[^'\n]{4,64}'|(?:(?!</)[!-~]){4,64})(?=\s*(?:$|[,;.!|<]|and\b|\())",
        assigned,
        _I | re.MULTILINE,
    ),
    rule(
        "password",
        _WORDS,
        _WORD + r"[^:\n]{0,20}(?:\|\s*|[:=]\s*\n\s*)(?P<s>[!-~]{4,64})(?=\s*(?:$|\|))",
        generated,
        _I | re.MULTILINE,
    ),
    rule("password", _WORDS, _WORD + r"s?(?:[ -+\--9;-~]{0,40}?|[^\n.,;!?:=]{0,8}?)" + _SET + _VALUE, password, _I),
    rule(
        "password",
        "pass pw 密码 口令",
        r"(?:\bpass(?:word)?|\bpw|密码|口令)(?:\s*[:=>?]\s*|\s+is\s+|\s{3,})(?P<s>[!-~]{6,64})",
        generated,
        _I,
    ),
    rule("password", _WORDS, _WORD + r"[^\n.,;!?:=]{0,20}?\bfrom\s+(?P<s>[!-~]{4,64})\s+to\s", password, _I),
    rule("password", _WORDS, _WORD + r"[^\n.,;!?:=]{0,6}?从\s*(?P<s>[!-~]{4,64})\s*[改换变]", password, _I),
    rule(
        "password",
        _WORDS,
        _WORD + r"[^\n.,;!?:=]{0,6}?从\s*[!-~]{4,64}\s*[改换变][成为到]?了?\s*(?P<s>[!-~]{4,64})",
        password,
        _I,
    ),
    rule("password", "密码 口令", r"(?:密码|口令)[是为用][\u4e00-\u9fff]{1,6}(?P<s>\d{6,})(?![\d年月日号位])"),
    rule(
        "password",
        "password passwd passphrase passcode",
        r"(?:password|passwd|passphrase|passcode)\b[^\n.:;!?]{0,30}?\s(?:is|was|to|as)\s(?P<s>[\"'`“‘][^\s\"'`”’]{4,40}[\"'`”’])",
        None,
        _I,
    ),
    rule(
        "password",
        "password passphrase passcode",
        r"(?:my|the|our|your|his|her|their)\s(?:[\w-]+\s){0,3}?(?:password|passphrase|passcode)\s(?:is|was)\s(?P<s>[a-z]{6,40})(?=\s*(?:$|[.,;!]))",
        name_like,
        _I | re.MULTILINE,
    ),
    rule(
        "password",
        "passphrase password 密码 口令",
        r"(?:passphrase|password|密码|口令)[^\n.,:;!?]{0,20}?(?:is|was|:|是|为)\s*[\"'“「]?(?P<s>[a-z]{4,12}(?:[ -][a-z]{4,12}){3,11})(?=\s*(?:$|[.,;!\"'”」]))",
        phrase,
        _I | re.MULTILINE,
    ),
    rule(
        "password",
        _WORDS,
        _WORD + r"(?:\]|\s*\([^)\n]{0,30}\))?\s+(?:-+\s+)?(?P<s>(?=[!-~]*\d)(?=[!-~]*[A-Za-z])[!-~]{6,64})",
        password,
        _I,
    ),
    rule(
        "password",
        "password passcode login",
        r"(?P<s>[!-~]{6,64})\s+(?:is|as|was)\s+(?:my|the|our|your|his|her|their|a)\s+(?:\w+\s+){0,3}(?:password|passcode)\b",
        password,
        _I,
    ),
    rule(
        "password",
        "-p --pass -u sshpass",
        r"(?:--password[= ]|sshpass -p ?|\bmysql\b[^\n]{0,200}? -p|\bcurl\b[^\n]{0,200}? (?:-u|--user) ?[\"']?[\w.@-]+:)(?P<s>[!-~]{4,64})",
        assigned,
    ),
    rule(
        "password",
        "密码 口令",
        r"(?:密码|口令)(?:是|为)\s*(?P<s>[A-Za-z][!-~]{5,63})(?=\s*(?:$|[,;.\n]))",
        assigned,
        re.MULTILINE,
    ),
    rule(
        "password",
        "密码 口令",
        r"(?:密码|口令)\s*[\"'「“]?(?P<s>[A-Za-z0-9!@#$%^&*_+=.~-]{6,64}|\d{4,5})(?!\s*[年月日号位次个天条家种])",
        has_digit,
    ),
    rule(
        "password",
        "密码 口令",
        r"(?<![!-~])(?P<s>[!-~]{6,64})\s*[,]?\s*(?:[这那]个?)?(?:就|才)?是\S{0,8}(?:密码|口令)(?![学本锁箱])",
        password,
    ),
    rule(
        "account and password",
        "账号 帐号 用户名 account username login",
        r"(?:账号|帐号|用户名|account|username|login)\s*[:=]?\s*[\w.@+-]{2,40}\s*/\s*(?P<s>[!-~]{6,64})",
        password,
        _I,
    ),
    rule(
        "one-time code",
        _ZH_CODES,
        _ZH_CODE + r"[^\n.;!?\d]{0,8}(?P<s>\d{3}[ -]?\d{3}|\d{4,8})(?![\d年月日号位])",
    ),
    rule(
        "one-time code",
        _ZH_CODES,
        r"(?<![\d.])(?P<s>\d{4,8}|\d{3}[ -]\d{3})(?!\d|\s*[年月日号位次个版])[^\n.;!?\d]{0,12}" + _ZH_CODE,
    ),
    rule(
        "one-time code",
        _ZH_CODES,
        _ZH_CODE + r"\s*(?:是|为|:|=)+\s*(?P<s>(?=[A-Za-z0-9]*\d)[A-Za-z0-9]{4,10})(?![A-Za-z0-9])",
    ),
    rule(
        "one-time code",
        "code otp passcode 2fa",
        _CODE + r"s?\b[^\n.;!?\d]{0,20}?(?P<s>\d{3}[ -]\d{3}|\d{4,8})(?![\d-])",
        lambda found: not re.fullmatch(r"(?:19|20)\d\d", found),
        _I,
    ),
    rule(
        "one-time code",
        "code otp passcode 2fa",
        _CODE + r"s?\s*(?:is|was|are|:|=)[\s:]*(?P<s>\d{3}[ -]\d{3}|\d{4,8})(?![\d-])",
        None,
        _I,
    ),
    rule(
        "one-time code",
        "code otp passcode",
        r"(?<![\d.,$])(?P<s>(?:[A-Z]-)?\d{4,8}|\d{3}[ -]\d{3})(?!\d)\s*(?:is|was)\s+(?:your|my|the|our)\b[^\n.;!?]{0,30}?(?:code|otp|passcode|\bpin)\b",
        None,
        _I,
    ),
    rule(
        "one-time code",
        "code",
        r"\b(?:(?:use|enter|with|type|your)\s+(?:the\s+)?code\s*(?:is|:)?|code\s(?:that\s)?\w+\s(?:just\s)?(?:sent|texted|emailed|gave|got)\b[^\n.;!?\d]{0,12}?(?:is|was|:))"
        r"\s*(?P<s>\d{6,8}|\d{3}[ -]\d{3})(?!\d)",
        None,
        _I,
    ),
    rule("one-time code", "的码", r"的码\s*(?:是|为|:|=)?\s*(?P<s>\d{6}|\d{3}[ -]\d{3})(?!\d)"),
    rule(
        "one-time code",
        "code",
        r"^\s*code\s*[:=]\s*(?P<s>\d{6}|\d{3}[ -]\d{3})\s*$",
        None,
        _I | re.MULTILINE,
    ),
    rule(
        "one-time code",
        "use enter type",
        r"\b(?:use|enter|type)\s(?P<s>\d{4,8}|\d{3}[ -]\d{3})\s(?:as\s(?:[\w-]+\s){0,3}?(?:(?:pass)?code|otp)|to\s(?:(?:sign|log)[ -]?in|(?:verify|confirm)\s(?:your|my)))\b",
        None,
        _I,
    ),
    rule(
        "card code",
        "cvv cvc 安全码 card",
        r"(?:\bcvv2?\b|安全码|\bcard(?:'s)?\s(?:security|verification)\s(?:code|number|value)|\bcvc2?(?=\s*(?:'s|is|是|为|:|=)))\s*(?:'s|is|是|为|:|=)*\s*(?P<s>\d{3,4})(?!\d)",
        None,
        _I,
    ),
    rule(
        "PIN",
        "combination combo",
        r"\bcomb(?:o|ination)\b[^\n.:;!?\d]{0,40}?\b(?:safe|lock\w*|padlock|vault)\s*(?:'s|is|was|:|=|是)\s*(?P<s>\d[\d -]{2,12}\d)",
        None,
        _I,
    ),
    rule(
        "PIN",
        "pin",
        r"\bPIN(?:\s*(?:code|number|码))?\b\]?(?:\s*(?:'s|is|was|now|to|as|:|=|是|为|,))*\s*(?P<s>\d{4,8})(?![\d.,-]*\d)",
        None,
        _I,
    ),
    rule("PIN", "pin", r"\bpin\b[^\n.;!?\d]{0,30}?\b(?:is|was|to|as)\s+(?P<s>\d{4,8})(?!\d)", None, _I),
    rule(
        "recovery code",
        "recovery backup 恢复 备用",
        r"(?:(?:recovery|backup)\s+(?:code|key)s?|(?:恢复|备用)代?码)[^\n.;!?]{0,12}?(?:[:=]\s*\n\s*(?:(?:\d{1,2}[.)]|[-*])\s+)?)?"
        r"(?P<s>[A-Za-z0-9]{4,8}(?:[- ][A-Za-z0-9]{4,8})+|(?=[A-Za-z]*\d)[A-Za-z0-9]{8,})",
        has_digit,
        _I,
    ),
    rule(
        "seed phrase",
        "seed␣phrase seed␣words mnemonic recovery␣phrase 助记",
        r"(?:seed (?:phrase|words?)|recovery phrase|mnemonic(?: phrase)?|助记词)[^\n:=是]{0,20}(?:is|are|:|=|是)?\s*"
        r"(?P<s>(?:(?:[a-z]{3,8}|[\u4e00-\u9fff])[ ,]+){11,23}(?:[a-z]{3,8}|[\u4e00-\u9fff]))",
        None,
        _I,
    ),
)
