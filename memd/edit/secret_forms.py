"""Credentials that show by their own form: keys with a prefix, tokens, private keys, URLs with passwords.

Knows the services' formats of keys. Never knows where a text came from.
"""

from __future__ import annotations

import re

from memd.edit.secret_rules import Rule, has_digit, mixed, random, rule

_I = re.IGNORECASE
_HEAD = r"(?<![A-Za-z0-9])"

FORMS: tuple[Rule, ...] = (
    rule(
        "private key",
        "private␣key putty-user-key",
        r"-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----(?:.*?-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----|.*\Z)"
        r"|---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----.*?(?:---- END SSH2 ENCRYPTED PRIVATE KEY ----|\Z)"
        r"|PuTTY-User-Key-File-\d.*?(?:Private-MAC:[^\n]*|\Z)",
        None,
        re.DOTALL,
    ),
    rule("age private key", "age-secret-key-", r"AGE-SECRET-KEY-1[0-9A-Z]{20,}", None, _I),
    rule("Anthropic key", "sk-ant-", _HEAD + r"sk-ant-[A-Za-z0-9_-]{16,}"),
    rule("OpenAI key", "sk-", _HEAD + r"sk-(?!ant-)[A-Za-z0-9_-]{20,}", mixed),
    rule("Google key", "aiza", _HEAD + r"AIza[0-9A-Za-z_-]{30,}"),
    rule("Google token", "ya29. gocspx- 1//0", _HEAD + r"(?:ya29\.[\w-]{20,}|GOCSPX-[\w-]{20,}|1//0[\w-]{30,})"),
    rule("HuggingFace token", "hf_ api_org_", _HEAD + r"(?:hf_|api_org_)[A-Za-z0-9]{20,}"),
    rule("npm token", "npm_", _HEAD + r"npm_[A-Za-z0-9]{30,}"),
    rule("GitHub token", "ghp_ gho_ ghu_ ghs_ ghr_", _HEAD + r"gh[pousr]_[A-Za-z0-9_]{30,}"),
    rule("GitHub token", "github_pat_", _HEAD + r"github_pat_[A-Za-z0-9_]{22,}"),
    rule(
        "GitLab token",
        "glpat- gldt- glft- glsoat- glrt- glcbt- glimt- glptt- glagent- gloas- gr1348941",
        _HEAD + r"(?:gl(?:pat|dt|ft|soat|rt|cbt|imt|ptt|agent|oas)-|GR1348941)[A-Za-z0-9_.-]{16,}",
        mixed,
    ),
    rule("Slack token", "xox xapp-", _HEAD + r"(?:xox[a-z]|xapp)-[A-Za-z0-9-]{10,}", has_digit),
    rule("webhook", "hooks.slack.com", r"hooks\.slack\.com/(?:services|workflows|triggers)/[\w/+-]{12,}", None, _I),
    rule("webhook", "/api/webhooks/", r"discord(?:app)?\.com/api/webhooks/\d+/[\w-]{20,}", None, _I),
    rule(
        "webhook",
        "webhook/send?key= /hook/ robot/send?access_token=",
        r"(?:webhook/send\?key=|open-apis/bot/v2/hook/|robot/send\?access_token=)[\w-]{20,}",
        None,
        _I,
    ),
    rule(
        "Stripe key",
        "sk_live sk_test rk_live rk_test whsec_",
        _HEAD + r"(?:[sr]k_(?:live|test)_|whsec_)[A-Za-z0-9+/=]{10,}",
    ),
    rule(
        "AWS key", "akia asia abia acca a3t", _HEAD + r"(?:A3T[A-Z0-9]|AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Za-z0-9])"
    ),
    rule(
        "AWS key",
        "aws_secret secret_access secretaccesskey secret␣access",
        r"secret[_ ]?access[_ ]?key\W{1,6}(?P<s>[A-Za-z0-9/+]{40})(?![A-Za-z0-9/+])",
        None,
        _I,
    ),
    rule(
        "Azure key",
        "accountkey= sharedaccesskey= 8q~ sig=",
        r"(?:AccountKey|SharedAccessKey)=[A-Za-z0-9+/]{20,}=*|[\w~.-]{3}8Q~[\w~.-]{30,}|[?&]sig=[A-Za-z0-9%+/]{30,}=*",
    ),
    rule("JSON Web Token", "eyj", _HEAD + r"eyJ(?:(?![_-]eyJ)[\w-]){8,}\.[\w-]{8,}(?:\.[\w-]*)?"),
    rule("bearer token", "bearer", r"\bbearer[ \t:]+[\"']?(?P<s>[\w.~+/=-]{16,})", has_digit, _I),
    rule("basic authorization", "basic", r"authorization\W{1,4}basic\s+(?P<s>[A-Za-z0-9+/]{8,}=*)", None, _I),
    rule(
        "password in a URL",
        "://",
        r"[a-z0-9]://[^\s:/?#@\[\]'\"]*:(?P<s>[^\s:/?#@\[\]]{2,})@[\w\[]",
        lambda s: not s.startswith(("<", "{", "$", "‹")) and s not in ("***", "xxx", "..."),
        _I,
    ),
    rule(
        "token in a URL",
        "key= token= sig= secret= signature= auth= code=",
        r"[?&](?:api_?key|key|[a-z_]*token|sig|signature|auth|[a-z_]*secret|code)=(?P<s>[\w~.%+/=-]{16,})",
        random,
        _I,
    ),
    rule("one-time password seed", "otpauth:", r"otpauth://(?:(?!otpauth:)\S)*secret=[A-Z2-7]{10,}\S*", None, _I),
    rule(
        "WireGuard key",
        "privatekey presharedkey",
        r"(?:Private|Preshared)Key\s*=\s*(?P<s>[A-Za-z0-9+/]{42,43}=)",
        None,
        _I,
    ),
    rule("Telegram token", "aa", r"(?<![\w:])\d{8,10}:AA[\w-]{32,34}(?![\w-])"),
    rule("cookie", "cookie", r"\b(?:set-)?cookie\s*:\s*(?:[\w.-]+=[^\s;,]*;\s*)*?[\w.-]+=(?P<s>[^\s;,]{8,})", None, _I),
    rule("Tencent or Alibaba key", "akid ltai", _HEAD + r"(?:AKID|LTAI)[A-Za-z0-9]{12,40}(?![A-Za-z0-9])", mixed),
    rule(
        "service token",
        "gsk_ xai- r8_ pplx- dop_v1_ doo_v1_ dor_v1_ hrku- shpat_ shpss_ shpca_ shppa_ lin_api_ ntn_ secret_ figd_ dckr_ "
        "pypi-age rubygems_ hvs. hvb. .atlasv1. dapi glsa_ glc_ nrak- sntrys_ sntryu_ sbp_ pmak- atatt3 atctt3 atbb sq0 eaaa "
        "tskey- fm2_ fo1_ nfp_ sg. key- pat- dp.pt. sl. tvly- nvapi- jina_ phx_ pul- rnd_ ctx7sk cio rk_ waka_ pscale_ "
        "eaac aaaaaaaaaaaaaaaaaaaa oc_sk fw_ lsv2_",
        _HEAD
        + r"(?:gsk_|xai-|r8_|pplx-|do[opr]_v1_|HRKU-|shp(?:at|ss|ca|pa)_|lin_api_|ntn_|secret_|figd_|dckr_(?:pat|oat)_"
        r"|pypi-AgE|rubygems_|hv[sb]\.|dapi|glsa_|glc_|NRAK-|sntry[su]_|sbp_|PMAK-|AT[AC]TT3|ATBB|sq0(?:atp|csp|idp)-"
        r"|tskey-[a-z]+-|fm2_|fo1_|nfp_|SG\.|key-|pat-[a-z]{2}\d-|dp\.pt\.|sl\.[A-Z]?|tvly-|nvapi-|jina_|phx_|pul-|rnd_"
        r"|ctx7sk-|waka_|pscale_(?:tkn|pw)_|EAA[AC]|AAAAAAAAAAAAAAAAAAAAA|fw_|lsv2_[a-z]{2}_|cio|[A-Za-z0-9]{14}\.atlasv1\.)"
        r"[A-Za-z0-9_./%+=-]{20,}",
        random,
    ),
)
"""Credentials that show by their own form."""
