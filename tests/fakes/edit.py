"""Synthetic credentials in context, and a vault that is a dictionary of bytes.

The credentials are made from a fixed seed, so that no real or scannable key stands in this repository.
"""

from __future__ import annotations

import random
import string
from datetime import datetime, timedelta, timezone
from typing import Any

from memd.model.config import Config
from memd.model.fingerprint import sha256
from memd.model.plan import ABSENT, Displaced, Done, Move, Plan, Receipt, Remove, Write
from memd.model.vault import Vault
from memd.parse.note import parse_note
from memd.serve.handlers.context import Context

AN = string.ascii_letters + string.digits
LOW = string.ascii_lowercase + string.digits
UP = string.ascii_uppercase + string.digits
HEX = "0123456789abcdef"
URL = AN + "-_"


def made(rng: random.Random, alphabet: str, length: int) -> str:
    """Random characters with a digit and a letter among them."""
    while True:
        text = "".join(rng.choice(alphabet) for _ in range(length))
        if any(c.isdigit() for c in text) and any(c.isalpha() for c in text) and text[0] not in "-_+/":
            return text


def credentials(seed: int = 7) -> list[tuple[str, str, str]]:
    """(kind, a sentence that holds it, the secret itself)."""
    rng = random.Random(seed)
    m = lambda alphabet, length: made(rng, alphabet, length)  # noqa: E731
    digits = lambda n: "".join(rng.choice("0123456789") for _ in range(n))  # noqa: E731
    found: list[tuple[str, str, str]] = []

    def add(kind: str, sentence: str, secret: str) -> None:
        found.append((kind, sentence.replace("@@", secret), secret))

    add("anthropic", "my Claude key is @@, keep it", f"sk-ant-api03-{m(URL, 60)}AA")
    add("openai", "OPENAI_API_KEY=@@", f"sk-{m(AN, 20)}T3BlbkFJ{m(AN, 20)}")
    add("openai project", "export it: @@", f"sk-proj-{m(URL, 48)}")
    add("deepseek", "DeepSeek 的 key 是 @@，别外传", f"sk-{m(HEX, 32)}")
    add("openrouter", "use @@ on OpenRouter", f"sk-or-v1-{m(HEX, 64)}")
    add("google api", "Maps: @@ works", f"AIza{m(URL, 35)}")
    add("google oauth", "access @@ expires in an hour", f"ya29.{m(URL, 60)}")
    add("google client secret", "it is @@", f"GOCSPX-{m(URL, 28)}")
    add("huggingface", "huggingface-cli login with @@", f"hf_{m(AN, 34)}")
    add("npm", "//registry.npmjs.org/:_authToken=@@", f"npm_{m(AN, 36)}")
    for head in ("ghp", "gho", "ghu", "ghs", "ghr"):
        add(f"github {head}", "git push with @@ please", f"{head}_{m(AN, 36)}")
    add("github fine-grained", "the CI uses @@.", f"github_pat_{m(AN, 22)}_{m(AN, 59)}")
    add("gitlab", "GITLAB_TOKEN: @@", f"glpat-{m(URL, 20)}")
    add("gitlab runner", "register the runner (@@)", f"glrt-{m(URL, 20)}")
    add("slack bot", "bot token @@", f"xoxb-{digits(12)}-{digits(12)}-{m(AN, 24)}")
    add("slack app", "socket mode: @@", f"xapp-1-A{m(UP, 10)}-{digits(13)}-{m(HEX, 64)}")
    add("slack webhook", "post to @@", f"https://hooks.slack.com/services/T{m(UP, 9)}/B{m(UP, 9)}/{m(AN, 24)}")
    add("discord webhook", "send to @@", f"https://discord.com/api/webhooks/{digits(18)}/{m(URL, 68)}")
    add("stripe live", "charge with @@", f"sk_live_{m(AN, 24)}")
    add("stripe test", "in the sandbox @@", f"sk_test_{m(AN, 24)}")
    add("stripe webhook", "signing secret @@", f"whsec_{m(AN, 32)}")
    add("aws access key", "access key id @@ of the bucket", f"AKIA{m(UP, 16)}")
    add("aws secret key", "aws_secret_access_key = @@", m(AN + "+/", 40))
    add("azure storage", "AccountName=x;AccountKey=@@;EndpointSuffix=core.windows.net", m(AN + "+/", 86) + "==")
    add("azure client secret", "AZURE_CLIENT_SECRET=@@", f"{m(AN, 3)}8Q~{m(AN + '_~.-', 33)}1")
    add("azure sas", "https://x.blob.core.windows.net/c?sv=2023-01-01&sig=@@", m(AN, 43) + "%3D")
    add("jwt", "the session holds @@", f"eyJ{m(URL, 30)}.eyJ{m(URL, 60)}.{m(URL, 43)}")
    add("bearer", "curl -H 'Authorization: Bearer @@' x", m(AN, 28))
    add("basic authorization", "Authorization: Basic @@", m(AN, 24) + "==")
    add("session cookie", "Cookie: sessionid=@@; theme=dark", m(LOW, 32))
    add("set-cookie", "Set-Cookie: auth=@@; HttpOnly", m(URL, 40))
    add("session token", "my session token is @@", m(AN, 32))
    add("upload token", "The upload token is @@", m(AN, 26))
    add("api key by name", "the weather api key: @@", m(HEX, 32))
    add("client secret by name", 'client_secret = "@@"', m(AN, 20))
    add("api key zh", "和风天气的密钥是@@", m(HEX, 32))
    add("token zh", "访问令牌：@@", m(AN, 40))
    add("telegram", "the bot: @@", f"{digits(9).replace('0', '1')}:AA{m(URL, 33)}")
    add("discord bot", "discord: @@", f"M{m(AN, 23)}.{m(AN, 6)}.{m(AN, 27)}")
    add("sendgrid", "mail goes through @@", f"SG.{m(URL, 22)}.{m(URL, 43)}")
    add("twilio", "twilio sid @@", f"AC{m(HEX, 32)}")
    add("mailgun", "mailgun @@", f"key-{m(HEX, 32)}")
    add("mailchimp", "mailchimp @@", f"{m(HEX, 32)}-us12")
    add("digitalocean", "doctl auth init -t @@", f"dop_v1_{m(HEX, 64)}")
    add("shopify", "the shop: @@", f"shpat_{m(HEX, 32)}")
    add("linear", "linear: @@", f"lin_api_{m(AN, 40)}")
    add("notion", "notion integration @@", f"ntn_{m(AN, 46)}")
    add("figma", "figma @@", f"figd_{m(URL, 40)}")
    add("docker", "docker login -p @@", f"dckr_pat_{m(URL, 27)}")
    add("pypi", "twine with @@", f"pypi-AgEIcHlwaS5vcmc{m(URL, 80)}")
    add("vault", "VAULT @@", f"hvs.{m(URL, 24)}")
    add("databricks", "databricks @@", f"dapi{m(HEX, 32)}")
    add("grafana", "grafana @@", f"glsa_{m(AN, 32)}_{m(HEX, 8)}")
    add("replicate", "replicate @@", f"r8_{m(AN, 37)}")
    add("groq", "groq @@", f"gsk_{m(AN, 52)}")
    add("postman", "postman @@", f"PMAK-{m(HEX, 24)}-{m(HEX, 34)}")
    add("atlassian", "jira @@", f"ATATT3xFfGF0{m(URL, 60)}")
    add("tencent", "SecretId: @@", f"AKID{m(AN, 32)}")
    add("alibaba", "AccessKeyId @@", f"LTAI{m(AN, 20)}")
    add("tailscale", "tailscale up --authkey @@", f"tskey-auth-{m(AN, 17)}-{m(AN, 32)}")
    add("wireguard", "PrivateKey = @@", m(AN + "+/", 43) + "=")
    for name in ("RSA ", "EC ", "OPENSSH ", ""):
        body = "\n".join(m(AN + "+/", 64) for _ in range(3))
        add(
            f"private key {name}".strip(),
            "keep:\n@@\nend",
            f"-----BEGIN {name}PRIVATE KEY-----\n{body}\n-----END {name}PRIVATE KEY-----",
        )
    add(
        "pgp private key",
        "@@",
        f"-----BEGIN PGP PRIVATE KEY BLOCK-----\n\n{m(AN, 64)}\n-----END PGP PRIVATE KEY BLOCK-----",
    )
    add("age key", "age: @@", f"AGE-SECRET-KEY-1{m(UP, 58)}")
    add("url password", "postgres://app:@@@db.example.org:5432/x", m(AN, 12))
    add("url password 2", "clone https://lin:@@@git.example.org/r.git", m(AN, 10))
    add("totp seed", "otpauth://totp/x?secret=@@&issuer=y", "JBSWY3DPEHPK3PXPQ2")
    add("password is", "my password is @@", "grUmpy-Otter-77")
    add("password colon", "wifi password: @@", "sunflower")
    add("password changed to", "I changed the router password to @@ yesterday", "Blue7Heron!")
    add("password quoted", 'the alarm password is "@@"', "swordfish")
    add("password table", "| password | @@ |", "tr0ub4dor")
    add("password bold", "- **Password**: @@", "Kestrel9921")
    add("pwd assign", "DB_PWD=@@", "q8Zr-mm2")
    add("account/password", "login: lin@example.org / @@", "Heron#2291")
    add("密码是", "邮箱密码是@@", "abc12345")
    add("密码改成", "路由器密码我改成了 @@，记一下", "Lu0you-8842xq")
    add("密码冒号", "门禁密码：@@", "4821")
    add("口令", "会议口令 @@", "778213")
    add("银行卡密码", "我的银行卡密码是 @@ 你别忘", "638201")
    add("验证码", "邮箱验证码是 @@，五分钟有效", "638205")
    add("短信验证码", "短信验证码 @@，快填。", "204867")
    add("验证码 reversed", "@@ 是您的登录验证码", "771092")
    add("动态密码", "动态密码：@@", "551203")
    add("verification code", "verification code: @@", "492817")
    add("otp", "the OTP they sent was @@", "330914")
    add("code reversed", "@@ is your Google verification code", "G-492817")
    add("code spaced", "Your security code is @@", "492 817")
    add("pin", "my card PIN is @@", "7391")
    add("pin zh", "手机 PIN 码：@@", "7391")
    add("door code", "the door code is @@", "4821")
    add("recovery codes", "backup codes: @@", "8f3k-29dm")
    words = "ripple humor canal about lumber paper orbit thrive metal zebra quick donor"
    add("seed phrase", "seed phrase: @@", words)
    return found


NOW = datetime(2026, 11, 30, 14, 2, 5, tzinfo=timezone(timedelta(hours=8)))


class Files(dict[str, bytes]):
    """A vault in memory: a context over it, and plans carried out on it as the writer does."""

    def vault(self) -> Vault:
        visible = (path for path in self if not path.startswith("."))
        return Vault(parse_note(path, self[path], 0.0, NOW.tzinfo)[0] for path in visible)  # type: ignore[arg-type]

    def context(self, **more: Any) -> Context:
        trashed = tuple(path for path in self if path.startswith(".trash/memd/"))
        stamps = tuple({path.split("/")[2] for path in trashed})
        given = {"now": NOW, "trashed": lambda: trashed, "stamps": lambda: stamps, **more}
        return Context(self.vault(), Config(), bytes_of=self.get, **given)

    def apply(self, plan: Plan) -> tuple[Receipt, ...]:
        """Receipts; stops at the first step that is not as expected."""
        receipts: list[Receipt] = []
        for step in plan.steps:
            there = self.get(step.path)
            stands = ABSENT if there is None else sha256(there)
            blocked = isinstance(step, Move) and (there is None or step.to in self)
            if blocked or (step.expect is not None and step.expect != stands):
                return (*receipts, Displaced(step.path, there))
            receipts.append(self._done(step))
        return tuple(receipts)

    def _done(self, step: Write | Move | Remove) -> Done:
        if isinstance(step, Write):
            self[step.path] = step.content
            return Done(step.path, sha256(step.content))
        data = self.pop(step.path)
        if isinstance(step, Move):
            self[step.to] = data
            return Done(step.to, sha256(data))
        return Done(step.path, "")
