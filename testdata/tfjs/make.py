"""Writes the TF.js graph models of this folder, and beside each what it must be read as.

    python make.py          # in this folder; TensorFlow 2.21

TensorFlow makes the graphs and protobuf's own library writes their JSON; this script moves the values of the
constants into weight shards, as the converter does. `NAME/graph.pb` is the graph with its values put back.
"""

import json
import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
os.environ["TF_ENABLE_ONEDNN_OPTS"] = "0"
import numpy as np
import tensorflow as tf
from google.protobuf import json_format
from tensorflow.core.framework import tensor_pb2
from tensorflow.core.protobuf import meta_graph_pb2

HERE = os.path.dirname(os.path.abspath(__file__))
# What the converter narrows, since TF.js lacks the type.
NARROW = {np.dtype(np.int64): np.int32, np.dtype(np.float64): np.float32, np.dtype(np.complex128): np.complex64}


def every_type(x):
    """x: [n, 4]"""
    c = tf.constant
    kernel = c(np.linspace(-1, 1, 20, dtype=np.float32).reshape(4, 5), name="kernel")
    half = c(np.array([0.1, -2.5, 1000, 0, -0.0], np.float32), name="half")
    fine = c(np.array([3, 4, 5.5, 6, 7], np.float32), name="fine")
    y = tf.matmul(x, kernel) + half * fine
    labels = tf.gather(c(["zero", "", "two \u00fc", "three", "four"], name="labels"),
                       tf.argmax(y, axis=c(1, tf.int64, name="axis")))
    flags = tf.where(c([True, False, True, False, False], name="flags"), y, -y)
    wide = tf.cast(flags, tf.float64) * c(0.5, tf.float64, name="wide")
    z = tf.complex(y, y) * c(1 + 2j, tf.complex64, name="imaginary")
    bytes_ = tf.cast(y, tf.uint8) + c([1, 2, 3, 4, 255], tf.uint8, name="bytes")
    steps = c([3, 2, 1], tf.int32, name="steps")
    empty = tf.concat([y, c(np.zeros([0, 5], np.float32), name="empty")], 0)
    total = tf.while_loop(lambda i, s: i < tf.size(steps), lambda i, s: (i + 1, s + steps[i]), (0, 0))[1]
    return {"labels": labels, "wide": wide, "z": tf.math.real(z), "bytes": bytes_, "total": total,
            "empty": empty, "tail": c(np.arange(7, dtype=np.float32), name="tail")}


QUANTIZED = {
    "kernel": {"dtype": "uint8", "scale": 2 / 255, "min": -1, "original_dtype": "float32"},
    "fine": {"dtype": "uint16", "scale": 0.25, "min": -3, "original_dtype": "float32"},
    "half": {"dtype": "float16", "original_dtype": "float32"},
    "steps": {"dtype": "uint8", "scale": 1, "min": -5, "original_dtype": "int32"},
}


def pack(name, array):
    """The weight's entry, its bytes, and what they are read as."""
    stored = array.astype(NARROW.get(array.dtype, array.dtype))
    dtype = "string" if stored.dtype == object else stored.dtype.name
    entry = {"name": name, "shape": list(array.shape), "dtype": dtype}
    q = QUANTIZED.get(name)
    if q is None:
        if dtype == "string":
            flat = stored.reshape(-1).tolist()
            return entry, b"".join(len(s).to_bytes(4, "little") + s for s in flat), array
        return entry, stored.tobytes(), stored.astype(array.dtype)
    entry["quantization"] = q
    if q["dtype"] == "float16":
        half = stored.astype(np.float16)
        return entry, half.tobytes(), half.astype(array.dtype)
    codes = np.round((stored.astype(np.float64) - q["min"]) / q["scale"]).astype(q["dtype"])
    back = codes.astype(np.float64) * q["scale"] + q["min"]
    return entry, codes.tobytes(), back.astype(array.dtype)


def write(name, fn, cuts):
    """cuts: the groups as lists of shard sizes; the last of each takes the rest."""
    folder = os.path.join(HERE, name)
    os.makedirs(folder, exist_ok=True)
    concrete = tf.function(fn).get_concrete_function(tf.TensorSpec([None, 4], tf.float32, name="x"))
    graph = concrete.graph.as_graph_def()
    entries, blobs = [], []
    for node in [*graph.node, *(n for f in graph.library.function for n in f.node_def)]:
        if node.op != "Const":
            continue
        if node.name in {e["name"] for e in entries}:
            raise SystemExit(f"two constants are called {node.name}")
        entry, blob, back = pack(node.name, tf.make_ndarray(node.attr["value"].tensor))
        entries.append(entry)
        blobs.append(blob)
        tensor = node.attr["value"].tensor
        tensor.CopyFrom(tensor_pb2.TensorProto(dtype=tensor.dtype, tensor_shape=tensor.tensor_shape))
        if back.dtype == object:
            tensor.string_val.extend(back.reshape(-1).tolist())
        else:
            tensor.tensor_content = back.tobytes()
    with open(os.path.join(folder, "graph.pb"), "wb") as f:
        f.write(graph.SerializeToString(deterministic=True))
    for node in [*graph.node, *(n for f in graph.library.function for n in f.node_def)]:
        if node.op == "Const":
            for field in ("tensor_content", "string_val"):
                node.attr["value"].tensor.ClearField(field)
    manifest, at = [], 0
    for g, cut in enumerate(cuts):
        count = -(-len(entries) // len(cuts))
        data = b"".join(blobs[at:at + count])
        bounds = [sum(cut[:i]) for i in range(len(cut) + 1)] + [len(data)]
        paths = []
        for i, (a, b) in enumerate(zip(bounds, bounds[1:])):
            paths.append(f"group{g + 1}-shard{i + 1}of{len(bounds) - 1}.bin")
            with open(os.path.join(folder, paths[-1]), "wb") as f:
                f.write(data[a:b])
        manifest.append({"paths": paths, "weights": entries[at:at + count]})
        at += count
    signature = meta_graph_pb2.SignatureDef()
    for kind, tensors in (("inputs", {"x": concrete.inputs[0]}), ("outputs", concrete.structured_outputs)):
        for key, t in tensors.items():
            info = getattr(signature, kind)[key]
            info.name, info.dtype = t.name, t.dtype.as_datatype_enum
            info.tensor_shape.CopyFrom(t.shape.as_proto())
    model = {"format": "graph-model", "generatedBy": tf.__version__, "convertedBy": "make.py",
             "signature": json_format.MessageToDict(signature), "userDefinedMetadata": {"note": [1, "ü"]},
             "modelTopology": json_format.MessageToDict(graph), "weightsManifest": manifest}
    with open(os.path.join(folder, "model.json"), "w", encoding="utf-8") as f:
        json.dump(model, f, indent=1, sort_keys=True)


if __name__ == "__main__":
    write("types", every_type, [[3, 50, 0], []])
