"""Writes the checkpoints of this folder with TensorFlow, and beside each what TensorFlow reads back.

    python make.py          # in this folder; TensorFlow 2.21

NAME.txt has a line for each tensor or slice: key (percent-encoded), slice or `-`, element type, shape, bytes
in hex (of strings: each in hex, joined by commas, a lone dot for an empty one).
"""

import os
import urllib.parse

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
os.environ["TF_ENABLE_ONEDNN_OPTS"] = "0"
import numpy as np
import tensorflow as tf

HERE = os.path.dirname(os.path.abspath(__file__))
NAMES = {"float32": "f32", "float64": "f64", "float16": "f16", "bfloat16": "bf16", "bool": "bool",
         "complex64": "c64", "complex128": "c128", "string": "string", "int4": "i4", "uint4": "u4"}
NAMES |= {f"{a}int{n}": f"{b}{n}" for a, b in (("", "i"), ("u", "u")) for n in (8, 16, 32, 64)}


def save(name, rows):
    """rows: (key, slice spec, tensor)"""
    keys, specs, tensors = zip(*rows)
    tf.raw_ops.SaveV2(prefix=os.path.join(HERE, name), tensor_names=keys, shape_and_slices=specs,
                      tensors=tensors)


def line(name, key, spec, dtype):
    t = tf.raw_ops.RestoreV2(prefix=os.path.join(HERE, name), tensor_names=[key],
                             shape_and_slices=[spec], dtypes=[dtype])[0]
    shape = ",".join(map(str, t.shape.as_list()))
    if dtype == tf.string:
        data = ",".join(s.hex() or "." for s in tf.reshape(t, [-1]).numpy().tolist())
    else:
        # A narrow element is a byte, extended by its sign.
        wide = {"int4": tf.int8, "uint4": tf.uint8}.get(dtype.name, dtype)
        data = tf.cast(t, wide).numpy().tobytes().hex()
    spec = urllib.parse.quote(spec, safe=":,") or "-"
    return f"{urllib.parse.quote(key, safe='/._')} {spec} {NAMES[dtype.name]} [{shape}] {data}\n"


def expect(name, rows):
    with open(os.path.join(HERE, name + ".txt"), "w", encoding="ascii") as f:
        f.writelines(line(name, *row) for row in rows)


def plain():
    e = tf.dtypes.experimental
    rows = []
    for dtype in (tf.float32, tf.float64, tf.float16, tf.bfloat16, tf.int8, tf.int16, tf.int32, tf.int64,
                  tf.uint8, tf.uint16, tf.uint32, tf.uint64, tf.complex64, tf.complex128):
        rows.append((f"layer/{dtype.name}", "", tf.cast(tf.reshape(tf.range(6), [2, 3]), dtype)))
    rows += [("bool", "", tf.constant([True, False, True])),
             ("empty", "", tf.zeros([0, 3])),
             ("scalar", "", tf.constant(-7.5)),
             ("ключ", "", tf.constant(1, tf.int64)),
             ("int4", "", tf.cast(tf.constant([-8, -1, 0, 7]), e.int4)),
             ("uint4", "", tf.cast(tf.constant([0, 9, 15]), e.uint4))]
    save("plain", rows)
    expect("plain", [(k, s, t.dtype) for k, s, t in rows] + [("layer/float32", "2 3 1,1:0,2", tf.float32)])


def strings():
    rows = [("three", "", tf.constant(["a", "bcd", ""])), ("none", "", tf.constant([], tf.string)),
            ("one", "", tf.constant(b"\x00\xff" * 100)), ("after", "", tf.constant([1, 2, 3]))]
    save("strings", rows)
    expect("strings", [(k, s, t.dtype) for k, s, t in rows])


def partitioned():
    whole = tf.reshape(tf.range(60.0), [10, 6])
    grid = tf.reshape(tf.range(24), [4, 6])
    rows = [("rows", f"10 6 {i},{n}:-", whole[i:i + n]) for i, n in ((0, 4), (4, 3), (7, 3))]
    rows += [("grid", f"4 6 {i},2:{j},3", grid[i:i + 2, j:j + 3]) for i in (0, 2) for j in (0, 3)]
    long = tf.cast(tf.range(8300), tf.uint8)
    rows += [("long", f"8300 {i},{n}", long[i:i + n])
             for i, n in ((0, 63), (63, 1), (64, 64), (128, 8064), (8192, 108))]
    rows += [("hole", "4 2 2,2:-", tf.ones([2, 2])), ("plain", "", tf.constant(3))]
    save("partitioned", rows)
    expect("partitioned", [("rows", "", tf.float32), ("rows", "10 6 4,3:-", tf.float32),
                           ("rows", "10 6 3,5:2,3", tf.float32), ("rows", "10 6 -:5,1", tf.float32),
                           ("rows", "10 6 9,1:0,6", tf.float32), ("grid", "", tf.int32),
                           ("grid", "4 6 1,2:2,2", tf.int32), ("long", "8300 60,10", tf.uint8),
                           ("long", "8300 8190,4", tf.uint8), ("hole", "4 2 2,2:-", tf.float32),
                           ("hole", "4 2 3,1:1,1", tf.float32), ("plain", "", tf.int32)])


def shards():
    parts = []
    for i in range(3):
        save(f"part{i}", [(f"v{i}", "", tf.fill([i + 1], float(i))), (f"s{i}", "", tf.constant([f"s{i}"])),
                          ("cut", f"6 2 {2 * i},2:-", tf.fill([2, 2], i))])
        parts.append(os.path.join(HERE, f"part{i}"))
    tf.raw_ops.MergeV2Checkpoints(checkpoint_prefixes=parts, destination_prefix=os.path.join(HERE, "shards"),
                                  delete_old_dirs=False)
    expect("shards", [(f"v{i}", "", tf.float32) for i in range(3)] + [(f"s{i}", "", tf.string) for i in range(3)]
           + [("cut", "", tf.int32), ("cut", "6 2 1,4:1,1", tf.int32)])
    for part in parts:
        for suffix in (".index", ".data-00000-of-00001"):
            if os.path.exists(part + suffix):
                os.remove(part + suffix)


def many():
    """Enough keys for restart points."""
    rows = [(f"model/block_{i:03}/kernel", "", tf.constant(i, tf.uint8)) for i in range(40)]
    save("many", rows)
    expect("many", [(k, s, t.dtype) for k, s, t in rows])


if __name__ == "__main__":
    for make in (plain, strings, partitioned, shards, many):
        make()
