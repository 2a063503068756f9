"""Credentials that show by the words around them, in English and Chinese: passwords, one-time codes, tokens by name.

Talk about passwords is no password: what stands after the word must look like one. Never knows where a text came from.
"""

from __future__ import annotations

import re

from memd.edit.secret_rules import Rule, assigned, has_digit, mixed, name_like, password, random, rule

_I = re.IGNORECASE

_NAME = (
    r"(?:api[ _-]?key|apikey|secret[ _-]?key|client[ _-]?secret|app[ _-]?secret|app[ _-]?key|access[ _-]?key(?:[ _-]?id)?|auth[ _-]?key"
    r"|(?:access|refresh|auth|api|bot|session|upload|deploy|csrf|id|bearer|personal|user|login)?[ _-]?token|signing[ _-]?(?:key|secret)"
    r"|encryption[ _-]?key|private[ _-]?key|session[ _-]?(?:id|key|cookie)|sessionid|phpsessid|jsessionid|connect\.sid|cookie"
    r"|credentials?|secret|license[ _-]?key|webhook[ _-]?secret|sessdata|令牌|密钥|秘钥|私钥|凭证|凭据|授权码|激活码)"
)
_LINK = r"[\"'`]?(?:\s*(?:is|was|are|value|here|now|还|就|现在|已经)\b|\s*(?:就是|是|为|叫|改成了?|换成了?|设成|设为))*\s*[:=→>]{0,2}\s*[\"'`「“‘<]?"
_ZH_SET = r"(?:就|现在|已经|已|统一|默认|初始|还|都|又|我|给你|被|重新)*(?:是|为|叫|改成了?|改为了?|设成了?|设为了?|设置[成为]了?|换成了?|重置[成为]了?|:|=)"
_VALUE = r"[\"'`「“‘]?(?P<s>[!-~]{4,64})"

_CODE = r"(?:(?:verification|security|one[- ]?time|otp|auth(?:entication|enticator)?|login|log-in|sign[- ]?in|access|2fa|two[- ]factor|mfa|sms|confirmation|activation|unlock|reset|door|gate|alarm|entry|lock)\s+(?:pass)?code|one[- ]time\s+(?:password|pin)|\botp|passcode|2fa)"

CONTEXTS: tuple[Rule, ...] = (
    rule(
        "token in context",
        "key token secret session cookie connect.sid credential sessid sessdata 令牌 密钥 秘钥 私钥 凭证 凭据 授权码 激活码",
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
        "password passwd passphrase pwd passcode",
        r"(?:password|passwd|passphrase|passcode|\bpwd|_pwd)[\"'`]?\s*(?:\([^)\n]{0,30}\)\s*)?[:=|]+\s*(?P<s>\"[^\"\n]{4,64}\"|'[^'\n]{4,64}'|[!-~]{4,64})(?=\s*(?:$|[,;.!|]|and\b|\())",
        assigned,
        _I | re.MULTILINE,
    ),
    rule(
        "password",
        "password passwd passphrase pwd passcode",
        r"(?:password|passwd|passphrase|passcode|\bpwd)s?\b[^\n.:;!?]{0,40}?(?:\b(?:is|was|are|to|as|with)\b|[:=])\s*(?:now |still |just |simply |currently |set to )?[\"'`“‘]?(?P<s>[!-~]{4,64})",
        password,
        _I,
    ),
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
        "password passwd pwd passphrase passcode",
        r"(?:password|passwd|pwd|passphrase|passcode)\s+(?P<s>(?=[!-~]*\d)(?=[!-~]*[A-Za-z])[!-~]{6,64})",
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
        "密码 口令 密碼",
        r"(?:密[码碼]|(?<![数])口令)(?![学學本锁箱保管器])[^\n。,;!?:=]{0,8}?" + _ZH_SET + r"\s*" + _VALUE,
        password,
    ),
    rule(
        "password",
        "密码 口令 密碼",
        r"(?:密[码碼]|口令)(?:是|为|:|=)\s*(?P<s>[A-Za-z][!-~]{5,63})(?=\s*(?:$|[,;。\n]))",
        assigned,
        re.MULTILINE,
    ),
    rule(
        "password",
        "密码 口令 密碼",
        r"(?:密[码碼]|口令)\s*[\"'「“]?(?P<s>[A-Za-z0-9!@#$%^&*_+=.~-]{6,64}|\d{4,5})(?!\s*[年月日号位次个天条家种])",
        has_digit,
    ),
    rule(
        "password",
        "密码 口令 密碼",
        r"(?<![!-~])(?P<s>[!-~]{6,64})\s*(?:就|才)?是\S{0,8}(?:密[码碼]|口令)(?![学學本锁箱])",
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
        "验证码 驗證碼 校验码 动态码 动态密码 确认码 安全码 口令码 短信码 提取码 登录码 取款码",
        r"(?:验证码|驗證碼|校验码|动态码|动态密码|确认码|安全码|短信码|登录码|口令码|提取码|取款码)[^\n。;!?\d]{0,8}(?P<s>\d{3}[ -]?\d{3}|\d{4,8})(?![\d年月日号位])",
    ),
    rule(
        "one-time code",
        "验证码 驗證碼 校验码 动态码 确认码",
        r"(?<![\d.])(?P<s>\d{4,8}|\d{3}[ -]\d{3})(?!\d)[^\n。;!?\d]{0,12}(?:验证码|驗證碼|校验码|动态码|确认码)",
    ),
    rule(
        "one-time code",
        "验证码 提取码 校验码",
        r"(?:验证码|提取码|校验码)\s*(?:是|为|:|=)\s*(?P<s>(?=[A-Za-z0-9]*\d)[A-Za-z0-9]{4,10})(?![A-Za-z0-9])",
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
        r"\b(?:use|enter|with|type|your)\s+(?:the\s+)?code\s*(?:is|:)?\s*(?P<s>\d{6,8}|\d{3}[ -]\d{3})(?!\d)",
        None,
        _I,
    ),
    rule(
        "PIN",
        "pin",
        r"\bPIN(?:\s*(?:code|number|码))?\b(?:\s*(?:is|was|now|to|as|:|=|是|为|,))*\s*(?P<s>\d{4,8})(?![\d.,-]*\d)",
        None,
        _I,
    ),
    rule("PIN", "pin", r"\bpin\b[^\n.;!?\d]{0,30}?\b(?:is|was|to|as)\s+(?P<s>\d{4,8})(?!\d)", None, _I),
    rule(
        "recovery code",
        "recovery backup 恢复码 备用码",
        r"(?:(?:recovery|backup)\s+(?:code|key)s?|恢复码|备用码)[^\n.;!?]{0,12}?(?P<s>[A-Za-z0-9]{4,8}(?:[- ][A-Za-z0-9]{4,8})+|(?=[A-Za-z]*\d)[A-Za-z0-9]{8,})",
        has_digit,
        _I,
    ),
    rule(
        "seed phrase",
        "seed␣phrase mnemonic recovery␣phrase 助记词",
        r"(?:seed phrase|recovery phrase|mnemonic(?: phrase)?|助记词)[^\n:=是]{0,20}(?:is|:|=|是)?\s*(?P<s>(?:[a-z]{3,8}[ ,]+){11,23}[a-z]{3,8})",
        None,
        _I,
    ),
)
