"""Times a SavedModel on another engine and prints JSON, for `cargo xtask bench`.

usage: bench_peers.py ENGINE CASE_FOLDER [--batch N] [--threads N] [--seconds S] [--onnx FILE]

CASE_FOLDER holds `saved_model/` and a golden file `golden.npz` or `golden_0.npz` with arrays
`in:KEY` and `out:KEY`. The batch is made by repeating rows of the golden inputs.

Engines: `tf` (TensorFlow), `tfxla` (TensorFlow with jit_compile), `ort` (ONNX Runtime on what
tf2onnx makes of the model) and `openvino` (on the same). An engine whose packages are missing ends
with status 3 and says so.

With --onnx the converted model is kept in FILE, and taken from there if it exists.

A first line has the event `first` and is printed when the first results are there. The other has
the event `row` and: load_ms (reading the model until it can be run, imports and conversion left out),
first_ms (first call), median_ms, min_ms, calls, peak_mb, and worst (largest absolute difference
from the golden outputs).
"""

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("engine", choices=sorted(ENGINES))
    parser.add_argument("case")
    parser.add_argument("--batch", type=int, default=1)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=2.0)
    parser.add_argument("--onnx")
    return parser.parse_args()


def golden(case):
    """The golden inputs and outputs by key."""
    import numpy as np

    for name in ("golden.npz", "golden_0.npz"):
        path = os.path.join(case, name)
        if os.path.exists(path):
            arrays = np.load(path)
            pick = lambda mark: {k[len(mark):]: arrays[k] for k in arrays.files if k.startswith(mark)}
            return pick("in:"), pick("out:")
    raise SystemExit(f"{case}: no golden file")


def batched(inputs, batch):
    """The inputs with `batch` rows each."""
    import numpy as np

    rows = lambda a: np.take(a, np.arange(batch) % a.shape[0], axis=0) if a.ndim else a
    return {key: np.ascontiguousarray(rows(array)) for key, array in inputs.items()}


def tensorflow(jit):
    def load(path, threads, _):
        import tensorflow as tf

        tf.config.threading.set_intra_op_parallelism_threads(threads)
        tf.config.threading.set_inter_op_parallelism_threads(threads)
        begin = time.perf_counter()
        model = tf.saved_model.load(path)
        signature = model.signatures["serving_default"]
        call = tf.function(lambda **feed: signature(**feed), jit_compile=True) if jit else signature

        def run(feed, keep=model):
            results = call(**{key: tf.constant(value) for key, value in feed.items()})
            return {key: value.numpy() for key, value in results.items()}

        return run, begin

    return load


def onnx_file(path, target):
    """The model as ONNX: from the file `target`, or converted, into a new folder without one."""
    target = target or os.path.join(tempfile.mkdtemp(), "model.onnx")
    if os.path.exists(target):
        return target
    command = [sys.executable, "-m", "tf2onnx.convert", "--saved-model", path, "--output", target]
    subprocess.run(command + ["--opset", "17"], check=True, capture_output=True)
    return target


def onnxruntime(path, threads, onnx):
    import onnxruntime

    target = onnx_file(path, onnx)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    begin = time.perf_counter()
    session = onnxruntime.InferenceSession(target, options, providers=["CPUExecutionProvider"])
    names = [output.name for output in session.get_outputs()]
    return lambda feed: dict(zip(names, session.run(names, feed))), begin


def openvino(path, threads, onnx):
    import numpy as np
    import openvino as ov

    target = onnx_file(path, onnx)
    begin = time.perf_counter()
    core = ov.Core()
    wish = {"INFERENCE_NUM_THREADS": threads, "PERFORMANCE_HINT": "LATENCY"}
    compiled = core.compile_model(core.read_model(target), "CPU", wish)

    def run(feed):
        return {out.get_any_name(): np.asarray(value) for out, value in compiled(feed).items()}

    return run, begin


ENGINES = {
    "tf": tensorflow(jit=False),
    "tfxla": tensorflow(jit=True),
    "ort": onnxruntime,
    "openvino": openvino,
}


def worst_difference(results, want, batch):
    import numpy as np

    worst = 0.0
    for key, expected in want.items():
        if key not in results or expected.dtype.kind not in "fiu":
            continue
        rows = min(batch, expected.shape[0]) if expected.ndim else None
        part = lambda a: np.asarray(a, dtype=np.float64)[:rows] if rows else np.float64(a)
        if part(expected).size:
            worst = max(worst, float(np.abs(part(expected) - part(results[key])).max()))
    return worst


def main():
    args = arguments()
    inputs, want = golden(args.case)
    feed = batched(inputs, args.batch)
    try:
        model = os.path.join(args.case, "saved_model")
        run, begin = ENGINES[args.engine](model, args.threads, args.onnx)
    except ImportError as missing:
        print(missing, file=sys.stderr)
        sys.exit(3)
    loaded = time.perf_counter()
    results = run(feed)
    first = time.perf_counter()
    print(json.dumps({"event": "first", "first_ms": (first - loaded) * 1e3}), flush=True)
    times = []
    end = first + args.seconds
    while len(times) < 3 or time.perf_counter() < end:
        start = time.perf_counter()
        results = run(feed)
        times.append((time.perf_counter() - start) * 1e3)
    print(json.dumps({
        "event": "row",
        "load_ms": (loaded - begin) * 1e3,
        "first_ms": (first - loaded) * 1e3,
        "median_ms": statistics.median(times),
        "min_ms": min(times),
        "calls": len(times),
        "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        "worst": worst_difference(results, want, args.batch),
    }))


if __name__ == "__main__":
    main()
