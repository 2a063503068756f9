"""Screening text for credentials."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memd.edit.secrets import redact, refuse_secrets, screen
from memd.model.errors import Refused
from tests.fakes.edit import credentials

DATA = Path(os.environ.get("MEMD_DATA", Path(__file__).parents[3] / "shared" / "data"))

TALK = """上个月改过一次邮箱密码，记性不好
密码学下学期周二上课，课程号 30240184
我忘了密码，要重置
密码至少 8 位，要有数字
2023 年改过密码
我把密码告诉了室友，她的密码是不是也泄露了
wifi 密码贴在冰箱上
密码锁换了电池，用了2节7号
用户的密码应为6到16位
验证码一般是 6 位数字，等了 10 分钟
口令红包真好玩
房间号 4821，门口左转
快递取件码 3-2-1034，会议号 123 456 789
账号：lin@example.org
tel 13812345678
身份证在 2030 年到期
my password manager is Bitwarden
I forgot my password again
The password must be at least 12 characters and contain a digit
Password: required
password is too weak
the password is important.
my password is compromised.
The new password is stored in the manager
password for the wifi is on the fridge
Our passcode is changed every 90 days
Use a PIN instead of a password
pin 4 of the connector is ground
the pin number changed in 2023
Enter the 6-digit code from your phone
The verification code expires in 10 minutes
access code review on Friday 2024
the token bucket algorithm refills 100 tokens a second
session 2026-04-02-s-118 was long
API keys are kept in the vault
the secret ingredient is cardamom2
a secret santa on 2026-12-20 at the-old-town-hall-2026
my cookie recipe: 200g flour, 120g sugar
Cookie policy: see https://example.org/cookies
bearer of good news 123
order number 12345678901234
flight CA1234 at 09:15
commit 9f2c41aab7e04c1d8a33f0c2b1a7e6d5f4c3b2a1
see https://github.com/openai/openai-python/blob/main/src/openai/_client.py#L120
[[2026-04-02-s-118#^t3|小林, 4月2日]]
fingerprint: 9f2c41aab7e04c1d
keyboard model KX2-9931-PRO
ISBN 9787302511472, UUID 550e8400-e29b-41d4-a716-446655440000
promo code SAVE2024, zip code 100084, error code: 500123
max_tokens: 4096, session_timeout = 3600
api_version: 2024-08-01-preview
license: Apache-2.0
Her password manager is KeePassXC2
We discussed password hashing with argon2id today
密码是 2023 年改的
密码换成了指纹，2026 年 5 月起
| password | varchar(64) | no |
password: string
- [password] changed in 2024
- [密码] 上周改过 3 次
[[password]] v2.1 notes
第 1024 次收到验证码
2026 年的登录码方案
use 8080 as the port, code review later
Enter 1024 to confirm the port number
The code he sent has 120000 lines
CVC 300 words list
bus pass: 2026-Q3 zone 2
https://example.org/?key=chapter-2
password = os.environ["DB"]
password = getPassword()
I will pass iPhone15 to you
the zip code: 552019 is on it
password? I forgot
the password is from the vault to be safe
密码用了123天
passphrase is something you should never share with anyone""".split("\n")

WAYS = """我的邮箱密碼是 Grp88xy!q，別告訴別人 ⟶ Grp88xy!q
您的確認碼為 482917 ⟶ 482917
校驗碼：482917 ⟶ 482917
认证码 482917 ⟶ 482917
一次性密碼是 482917 ⟶ 482917
API 金鑰是 Vt8uQw2LpZ5xRn7KmJ4s ⟶ Vt8uQw2LpZ5xRn7KmJ4s
助記詞是 apple banana cherry dog eagle fox grape house igloo juice kite lemon ⟶ cherry
短信验证码是：ａ４８２ ⟶ ａ４８２
我的 password 是 Qwer!9527 ⟶ Qwer!9527
my 密码 is Qwer!9527 ⟶ Qwer!9527
パスワードは Qwer!9527 です ⟶ Qwer!9527
Qwer!9527 这个是网关密码 ⟶ Qwer!9527
密码变成 Qwer9527 了 ⟶ Qwer9527
密码输入 Qwer9527 就行 ⟶ Qwer9527
🔑密码➡️Qwer!9527 ⟶ Qwer!9527
password 👉 Qwer!9527 ⟶ Qwer!9527
password – Qwer!9527 ⟶ Qwer!9527
the wifi password’s Qwer!9527 ⟶ Qwer!9527
Password => Qwer!9527 ⟶ Qwer!9527
<password>Qwer!9527</password> ⟶ Qwer!9527
| 密码 | Qwer!9527 | ⟶ Qwer!9527
密码：⏎Qwer!9527 ⟶ Qwer!9527
- [wifi password] Meadow99x #home ⟶ Meadow99x
- [密码] Qwer!9527 ⟶ Qwer!9527
- [pin] 7392 ⟶ 7392
密码（wifi） Qwer9527 ⟶ Qwer9527
wifi pass: Meadow99x ⟶ Meadow99x
PW=Meadow99x ⟶ Meadow99x
password? Tulip88x ⟶ Tulip88x
pw is Kq82mmzz ⟶ Kq82mmzz
new pass → Zx9!kkQ2 ⟶ Zx9!kkQ2
changed the password from Alpha2024 to Beta2025 today ⟶ Alpha2024
密码从 Alpha2024 改成了 Beta2025 ⟶ Alpha2024
密码从 Alpha2024 改成了 Beta2025 ⟶ Beta2025
密码是我生日19990412 ⟶ 19990412
银行发来的码 552019 ⟶ 552019
code: 552019 ⟶ 552019
the card's security code is 739 ⟶ 739
my passphrase is correct horse battery staple ⟶ horse
my PIN's 7392 ⟶ 7392
CVV：739 ⟶ 739
The combination to the safe is 12-34-56 ⟶ 12-34-56
Use 482917 as your one-time code ⟶ 482917
Enter 482917 to sign in ⟶ 482917
the code they texted me is 482917 ⟶ 482917
密码：abc123def 和 xyz789uvw ⟶ xyz789uvw
passwords: hunter22, Otter-99 ⟶ Otter-99
验证码 204867 或 204868 ⟶ 204868
recovery codes:⏎1. 8f3k-22ld⏎2. 9dk3-ll2s ⟶ 9dk3-ll2s
Cookie: a=1; session=Vt8uQw2LpZ5xRn7KmJ4s ⟶ Vt8uQw2LpZ5xRn7KmJ4s
https://x.example/?key=Vt8uQw2LpZ5xRn7KmJ4s ⟶ Vt8uQw2LpZ5xRn7KmJ4s""".split("\n")
"""What is said, and the secret in it; ⏎ ends a line."""


def ordinary_lines() -> Iterator[str]:
    """Lines of the dialogues and notes in MEMD_DATA."""
    for path in sorted(DATA.rglob("*")):
        if path.suffix == ".md":
            yield from filter(str.strip, path.read_text(errors="replace").split("\n"))
        elif path.suffix == ".json":
            yield from _said(json.loads(path.read_text()))


def _said(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield from filter(str.strip, value.split("\n"))
    elif isinstance(value, dict | list):
        for each in value.values() if isinstance(value, dict) else value:
            yield from _said(each)


def test_at_least_95_percent_of_credential_kinds_are_found_and_masked_whole(capsys: pytest.CaptureFixture[str]) -> None:
    """Of more than 40 kinds of credential in a sentence, 95 % and more are found, and masking leaves nothing of them."""
    cases = [case for seed in range(5) for case in credentials(seed)]
    missed = [kind for kind, text, secret in cases if secret in redact(text)[0] or not screen(text)]
    kinds = {kind for kind, _, _ in cases}
    with capsys.disabled():
        share = 100 * (1 - len(missed) / len(cases))
        print(
            f"\nsecrets: {share:.1f} % of {len(cases)} credentials of {len(kinds)} kinds found; missed: {sorted(set(missed))}"
        )
    assert len(kinds) >= 40
    assert len(missed) <= 0.05 * len(cases)


@pytest.mark.slow
def test_ordinary_lines_are_hardly_ever_refused(capsys: pytest.CaptureFixture[str]) -> None:
    """At most one in a thousand lines of ordinary dialogues and notes holds what looks like a credential."""
    if not DATA.is_dir():
        pytest.skip(f"no data at {DATA}: set MEMD_DATA")
    lines = list(ordinary_lines())
    refused = sum(1 for line in lines if screen(line))
    with capsys.disabled():
        print(f"\nsecrets: {refused} of {len(lines)} ordinary lines refused ({100 * refused / len(lines):.4f} %)")
    assert refused <= 0.001 * len(lines)


@pytest.mark.parametrize("line", TALK)
def test_talk_about_passwords_is_no_password(line: str) -> None:
    """Words about passwords, codes, keys and tokens are written like any others."""
    assert screen(line) == ()


@pytest.mark.parametrize("way", WAYS)
def test_no_way_to_write_it_hides_a_secret(way: str) -> None:
    """Traditional characters, two languages in one sentence, pictures, dashes, tables, observations, labels on a line of their own, and the
    second secret of a list."""
    text, secret = way.replace("⏎", "\n").split(" ⟶ ")
    assert secret not in redact(text)[0]


def test_a_refusal_names_the_kind_and_never_the_secret() -> None:
    """The message and its data say what kind it is, and hold nothing of it."""
    for kind, text, secret in credentials():
        with pytest.raises(Refused) as refused:
            refuse_secrets([text])
        said = f"{refused.value.message} {refused.value.data}"
        assert refused.value.code == "refused_secret", kind
        assert secret not in said, kind
        assert secret[-8:] not in said, kind


def test_fifteen_digits_need_the_sensitive_mark() -> None:
    """A run of 15 digits is a long number, of 14 is not; marked sensitive it may be written."""
    assert [f.kind for f in screen("parcel 900012345678901 waits")] == ["long number"]
    assert screen("the odometer shows 12345678901234 turns") == ()
    assert screen("parcel 900012345678901 waits", sensitive=True) == ()


def test_cards_in_groups_and_identity_numbers_with_a_right_check_digit_are_found() -> None:
    """Bank cards by Luhn, identity cards by GB 11643; a wrong check digit is another number."""
    assert [f.kind for f in screen("卡号 6222 0212 3456 7894 请记")] == ["bank card"]
    assert screen("卡号 6222 0212 3456 7895 请记") == ()
    assert [f.kind for f in screen("身份证 11010519491231002X")] == ["id card"]
    assert screen("身份证 11010519491231002X", sensitive=True) == ()
    assert screen("编号 110105 19491231 0021") == ()


def test_full_width_letters_hide_nothing() -> None:
    """A password in full-width characters is found like any other."""
    assert screen("密码：ａｂｃ１２３４５")


def test_a_private_key_is_masked_whole() -> None:
    """From its first line to its last, and to the end of the text where its end is missing."""
    key = "-----BEGIN RSA PRIVATE KEY-----\nabc\ndef\n-----END RSA PRIVATE KEY-----"
    assert redact(f"before\n{key}\nafter") == ("before\n‹redacted: private key›\nafter", ("private key",))
    assert redact("before\n-----BEGIN PRIVATE KEY-----\nabc\ndef")[0] == "before\n‹redacted: private key›"


def test_what_is_masked_is_not_found_again() -> None:
    """Masking a masked text changes nothing."""
    for _, text, _ in credentials():
        masked = redact(text)[0]
        assert redact(masked) == (masked, ())


@given(st.text(max_size=200))
def test_findings_are_in_order_apart_and_inside_the_text(text: str) -> None:
    """Any text can be screened; findings do not overlap."""
    at = 0
    for finding in screen(text):
        assert at <= finding.start < finding.end <= len(text)
        at = finding.end


def test_clean_text_is_screened_in_about_a_millisecond() -> None:
    """Two kilobytes of clean text take about a millisecond of CPU (fifty here, for busy machines)."""
    text = (
        "今天和小林去了青禾图书馆，学摄影。 The light was soft, and we talked about the token ring exhibition. " * 30
    )[:2048]
    screen(text)
    start = time.process_time()
    for _ in range(20):
        screen(text)
    assert (time.process_time() - start) / 20 < 0.05


def test_a_megabyte_of_hints_is_screened_in_linear_time() -> None:
    """A text made to be slow, nothing but words that start rules, is still answered."""
    for word in ("password ", "密码", "code ", "pin ", "a1", "eyJ_", "otpauth://", "://a1", "_key", "curl -u -"):
        start = time.process_time()
        screen(word * 20_000)
        assert time.process_time() - start < 30, "linear takes a tenth of a second, quadratic minutes"
