"""Makes the self-checking programs in this folder: one StableHLO operation each, with random
attributes and operands, and the results of XLA's CPU backend. Needs jax (0.10) and nothing else:

    python make.py

Operands are small integers wherever sums are exact in any order, so that results are compared for
equality; otherwise a tolerance is given. The seed is fixed: the same files come out again.
"""

import math
import pathlib
import re

import jax
import ml_dtypes
import numpy as np
from jax._src.interpreters import mlir
from jax._src.lib import xla_client
from jax._src.lib.mlir import ir

jax.config.update("jax_enable_x64", True)
HERE = pathlib.Path(__file__).parent
CLIENT = jax.devices()[0].client

NAMES = {
    "bool": "i1", "int8": "i8", "int16": "i16", "int32": "i32", "int64": "i64",
    "uint8": "ui8", "uint16": "ui16", "uint32": "ui32", "uint64": "ui64",
    "float16": "f16", "bfloat16": "bf16", "float32": "f32", "float64": "f64",
    "complex64": "complex<f32>", "complex128": "complex<f64>",
}
BITS = {"float16": np.uint16, "bfloat16": np.uint16, "float32": np.uint32, "float64": np.uint64}


NUMPY = {text: np.dtype(ml_dtypes.bfloat16 if name == "bfloat16" else name) for name, text in NAMES.items()}


def element(text):
    """The element type of a tensor type."""
    return re.fullmatch(r"tensor<(?:\d+x)*(.*)>", text).group(1)


def ty(a):
    return "tensor<" + "".join(f"{d}x" for d in a.shape) + NAMES[a.dtype.name] + ">"


def number(v):
    name = v.dtype.name
    if name == "bool":
        return "true" if v else "false"
    if name.startswith("complex"):
        return f"({number(v.real)}, {number(v.imag)})"
    if name not in BITS:
        return str(int(v))
    if not np.isfinite(np.float64(v)):
        return hex(int(v[()].view(BITS[name])) if hasattr(v, "view") else 0).upper().replace("X", "x")
    exact = np.float64(v) if name == "float64" else np.float32(v)
    if exact == 0 or 1e-3 <= abs(exact) < 1e6:
        return np.format_float_positional(exact, unique=True, trim="0")
    return np.format_float_scientific(exact, unique=True, trim="0")


def dense(a):
    if a.size == 0:
        return f"dense<> : {ty(a)}"

    def nest(x):
        return number(x) if x.ndim == 0 else "[" + ", ".join(nest(y) for y in x) + "]"

    flat = a.reshape(-1)
    if a.size > 1 and all(number(np.asarray(v)) == number(np.asarray(flat[0])) for v in flat):
        return f"dense<{number(np.asarray(flat[0]))}> : {ty(a)}"
    return f"dense<{nest(np.asarray(a))}> : {ty(a)}"


def run(text, args):
    """The results of the program `text`."""
    context = mlir.make_ir_context()
    with context:
        module = ir.Module.parse(text)
        code = mlir.module_to_bytecode(module)
    devices = xla_client.DeviceList(tuple(jax.devices()[:1]))
    loaded = CLIENT.compile_and_load(code, devices, xla_client.CompileOptions())
    results = loaded.execute_sharded([jax.device_put(a) for a in args])
    return [np.asarray(part[0]) for part in results.disassemble_into_single_device_arrays()]


COUNT = {}


def case(family, body, args, outs, tolerance=None, keep=None):
    """Writes a program: `body` makes %r0, %r1, ... of types `outs` from %a0, %a1, ... = `args`.
    `keep` says which results are compared. Programs that XLA refuses are left out."""
    params = ", ".join(f"%a{i}: {ty(a)}" for i, a in enumerate(args))
    results = ", ".join(f"%r{i}" for i in range(len(outs)))
    types = ", ".join(outs)
    text = f"func.func public @main({params}) -> ({types}) {{\n{body}\n  return {results} : {types}\n}}\n"
    try:
        wants = run(text, args)
    except Exception as error:  # noqa: BLE001
        print(f"{family}: refused: {str(error).splitlines()[0][:150]}")
        return False
    # XLA forgets the sign of random bits.
    wants = [w.view(NUMPY[element(out)]) for w, out in zip(wants, outs)]
    lines = [f"  %a{i} = stablehlo.constant {dense(a)}" for i, a in enumerate(args)]
    lines.append(body)
    for i, want in enumerate(wants):
        if keep is not None and i not in keep:
            continue
        lines.append(f"  %w{i} = stablehlo.constant {dense(want)}")
        inexact = tolerance is not None and (want.dtype.name in BITS or want.dtype.kind == "c")
        call, extra = "check.expect_eq", ""
        if inexact:
            call, extra = "check.expect_almost_eq", f", tolerance = {tolerance:e} : f64"
        lines.append(
            f"  stablehlo.custom_call @{call}(%r{i}, %w{i}) {{has_side_effect = true{extra}}}"
            f" : ({ty(want)}, {ty(want)}) -> ()"
        )
    n = COUNT[family] = COUNT.get(family, -1) + 1
    note = f"// Results of XLA's CPU backend (jax {jax.__version__}); made by make.py."
    program = note + "\nfunc.func public @main() {\n" + "\n".join(lines) + "\n  return\n}\n"
    (HERE / f"{family}_{n:02}.mlir").write_text(program)
    return True


def op(name, operands, attrs, in_types, out_types, results=None, region=""):
    """An operation in generic form."""
    results = results or [f"%r{i}" for i in range(len(out_types))]
    attrs = f" <{{{attrs}}}>" if attrs else ""
    region = f" ({region})" if region else ""
    return (
        f"  {', '.join(results)} = \"stablehlo.{name}\"({', '.join(operands)}){attrs}{region}"
        f" : ({', '.join(in_types)}) -> ({', '.join(out_types)})"
    )


def array(values, kind="i64"):
    values = [str(v).lower() if kind == "i1" else str(int(v)) for v in values]
    return f"array<{kind}{': ' if values else ''}{', '.join(values)}>"


def pairs(values):
    values = np.asarray(values, np.int64).reshape(-1, 2)
    return dense(values)


def shaped(shape, dtype):
    return "tensor<" + "".join(f"{d}x" for d in shape) + NAMES[np.dtype(dtype).name] + ">"


class Random:
    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)

    def int(self, low, high):
        """Between `low` and `high`, both included."""
        return int(self.rng.integers(low, high + 1))

    def ints(self, n, low, high):
        return [self.int(low, high) for _ in range(n)]

    def choice(self, values):
        return values[self.int(0, len(values) - 1)]

    def order(self, n):
        return [int(i) for i in self.rng.permutation(n)]

    def small(self, shape, dtype, low=-4, high=4):
        """Small integers of any type."""
        dtype = np.dtype(dtype)
        if dtype == bool:
            return self.rng.integers(0, 2, shape).astype(bool)
        if dtype.kind == "u":
            low = 0
        values = self.rng.integers(low, high + 1, shape)
        if dtype.kind == "c":
            values = values + 1j * self.rng.integers(low, high + 1, shape)
        return np.asarray(values).astype(dtype)

    def real(self, shape, dtype):
        values = self.rng.normal(size=shape)
        if np.dtype(dtype).kind == "c":
            values = values + 1j * self.rng.normal(size=shape)
        return np.asarray(values).astype(dtype)


BF16 = ml_dtypes.bfloat16


def dots():
    r = Random(1)
    types = [
        ("float32", "float32"), ("float64", "float64"), (BF16, BF16), (BF16, "float32"),
        ("float16", "float32"), ("int8", "int32"), ("int32", "int32"), ("uint8", "uint32"),
        ("int64", "int64"), ("complex64", "complex64"), ("complex128", "complex128"),
        ("float32", "float32"), ("float32", "float32"), ("float32", "float64"), ("int16", "int16"),
        ("bool", "bool"),
    ]
    for dtype, out in types:
        batch, free_l, free_r = r.ints(r.int(0, 2), 1, 3), r.ints(r.int(0, 2), 1, 5), r.ints(r.int(0, 2), 1, 9)
        total = r.ints(r.int(0, 2), 1, 6)
        nb, nc = len(batch), len(total)
        sides = []
        for free in (free_l, free_r):
            dims = batch + total + free
            order = r.order(len(dims))
            place = {old: new for new, old in enumerate(order)}
            sides.append((
                [dims[i] for i in order],
                [place[i] for i in range(nb)],
                [place[nb + i] for i in range(nc)],
                [dims[i] for i in order if i >= nb + nc],
            ))
        (ls, lb, lc, free_l), (rs, rb, rc, free_r) = sides
        args = [r.small(ls, dtype), r.small(rs, dtype)]
        out_type = shaped(batch + free_l + free_r, out)
        attrs = (
            f"dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = {lb}, "
            f"rhs_batching_dimensions = {rb}, lhs_contracting_dimensions = {lc}, "
            f"rhs_contracting_dimensions = {rc}>"
        )
        body = op("dot_general", ["%a0", "%a1"], attrs, [ty(a) for a in args], [out_type])
        # XLA turns sums of one term into products, which keep the sign of a zero.
        case("dot_general", body, args, [out_type], 0.0)


def conv_labels(order, names):
    return "[" + ", ".join(names[i] for i in order) + "]"


def convs():
    r = Random(2)
    made = 0
    while made < 40:
        spatial = r.choice([0, 1, 1, 2, 2, 2, 3])
        dtype = r.choice(["float32", "float32", "float64", "int32", BF16, "complex64", "float16"])
        kind = r.choice(["plain", "plain", "feature", "depthwise", "batch"])
        plain_order = made % 3 == 0
        group = r.int(2, 3) if kind != "plain" else 1
        cin = 1 if kind == "depthwise" else r.int(1, 3)
        features = cin * (group if kind in ("feature", "depthwise") else 1)
        n = r.int(1, 2) * (group if kind == "batch" else 1)
        cout = group * r.int(1, 4) if kind != "plain" else r.int(1, 10)
        size = r.ints(spatial, 1, 6 if spatial < 3 else 4)
        window = [r.int(1, min(3, s + 1)) for s in size]
        strides, padding = r.ints(spatial, 1, 3), [r.ints(2, -1, 2) for _ in range(spatial)]
        left, right = [r.choice([1, 1, 2, 3]) for _ in size], [r.choice([1, 1, 2]) for _ in size]
        reversal = [bool(r.int(0, 1)) and made % 2 == 1 for _ in size]
        out = []
        for i in range(spatial):
            padded = (size[i] - 1) * left[i] + 1 + sum(padding[i])
            out.append((padded - ((window[i] - 1) * right[i] + 1)) // strides[i] + 1 if padded > 0 else 0)
        if any(o <= 0 for o in out) or math.prod(out) * cout > 400:
            continue
        orders = [list(range(spatial + 2)) if plain_order else r.order(spatial + 2) for _ in range(3)]
        axes = [str(i) for i in range(spatial)]
        lhs = [n, *size, features]
        rhs = [*window, cin, cout]
        result = [n // (group if kind == "batch" else 1), *out, cout]
        labels = [conv_labels(orders[0], ["b", *axes, "f"]), conv_labels(orders[1], [*axes, "i", "o"]),
                  conv_labels(orders[2], ["b", *axes, "f"])]
        args = [r.small([lhs[i] for i in orders[0]], dtype, -3, 3),
                r.small([rhs[i] for i in orders[1]], dtype, -3, 3)]
        out_type = shaped([result[i] for i in orders[2]], dtype)
        attrs = ", ".join([
            f"window_strides = {array(strides)}", f"padding = {pairs(padding)}",
            f"lhs_dilation = {array(left)}", f"rhs_dilation = {array(right)}",
            f"window_reversal = {array(reversal, 'i1')}",
            f"dimension_numbers = #stablehlo.conv<{labels[0]}x{labels[1]}->{labels[2]}>",
            f"feature_group_count = {group if kind in ('feature', 'depthwise') else 1} : i64",
            f"batch_group_count = {group if kind == 'batch' else 1} : i64",
        ])
        body = op("convolution", ["%a0", "%a1"], attrs, [ty(a) for a in args], [out_type])
        made += case("convolution", body, args, [out_type], 0.0)


def binary_region(name, dtype, n=1):
    t = shaped([], dtype)
    return (
        f"{{\n  ^bb0(%x: {t}, %y: {t}):\n    %s = stablehlo.{name} %x, %y : {t}\n"
        f"    stablehlo.return %s : {t}\n  }}"
    )


NEUTRAL = {"add": 0, "multiply": 1, "maximum": -100, "minimum": 100, "or": 0, "and": -1}


def window_attrs(window, strides, base, dilation, padding):
    return ", ".join([
        f"window_dimensions = {array(window)}", f"window_strides = {array(strides)}",
        f"base_dilations = {array(base)}", f"window_dilations = {array(dilation)}",
        f"padding = {pairs(padding)}",
    ])


def window_extent(size, window, stride, base, dilation, padding):
    padded = (size - 1) * base + 1 + sum(padding)
    return (padded - ((window - 1) * dilation + 1)) // stride + 1


def windows():
    r = Random(3)
    made = 0
    while made < 24:
        rank = r.int(1, 4)
        dtype = r.choice(["float32", "float32", "float64", "int32", "int8", BF16, "uint16", "int64"])
        name = r.choice(["add", "maximum", "minimum", "multiply"])
        size = r.ints(rank, 1, 6 if rank < 3 else 4)
        window = [r.choice([1, 2, 3]) for _ in size]
        strides, base = r.ints(rank, 1, 3), [r.choice([1, 1, 2]) for _ in size]
        dilation, padding = [r.choice([1, 1, 2]) for _ in size], [r.ints(2, -1, 2) for _ in size]
        out = [window_extent(*v) for v in zip(size, window, strides, base, dilation, padding)]
        if any(o <= 0 for o in out) or math.prod(out) > 400:
            continue
        low, high = (1, 2) if name == "multiply" else (-4, 4)
        args = [r.small(size, dtype, low, high), np.asarray(max(NEUTRAL[name], 0) if np.dtype(dtype).kind == "u" else NEUTRAL[name]).astype(dtype)]
        out_type = shaped(out, dtype)
        attrs = window_attrs(window, strides, base, dilation, padding)
        body = op("reduce_window", ["%a0", "%a1"], attrs, [ty(a) for a in args], [out_type],
                  region=binary_region(name, dtype))
        made += case("reduce_window", body, args, [out_type])
    # Cumulative: forward, backward, exclusive, along each axis.
    for axis, padding in [(0, (19, 0)), (1, (19, 0)), (1, (0, 19)), (0, (20, -1)), (1, (-1, 20))]:
        for name, dtype in [("add", "float32"), ("maximum", "int32")]:
            size = [20, 3] if axis == 0 else [3, 20]
            window, pads = [1, 1], [(0, 0), (0, 0)]
            window[axis], pads[axis] = 20, padding
            args = [r.small(size, dtype), np.asarray(NEUTRAL[name]).astype(dtype)]
            attrs = window_attrs(window, [1, 1], [1, 1], [1, 1], pads)
            out_type = shaped(size, dtype)
            body = op("reduce_window", ["%a0", "%a1"], attrs, [ty(a) for a in args], [out_type],
                      region=binary_region(name, dtype))
            case("reduce_window", body, args, [out_type])
    variadic_windows(r)


def variadic_windows(r):
    """The largest value of a window and its position."""
    f, i = "tensor<f32>", "tensor<i32>"
    region = (
        f"{{\n  ^bb0(%x: {f}, %i: {i}, %y: {f}, %j: {i}):\n"
        f"    %p = stablehlo.compare GE, %x, %y, FLOAT : ({f}, {f}) -> tensor<i1>\n"
        f"    %v = stablehlo.select %p, %x, %y : tensor<i1>, {f}\n"
        f"    %k = stablehlo.select %p, %i, %j : tensor<i1>, {i}\n"
        f"    stablehlo.return %v, %k : {f}, {i}\n  }}"
    )
    for _ in range(3):
        size, window, strides = r.ints(2, 4, 6), r.ints(2, 1, 3), r.ints(2, 1, 2)
        padding = [r.ints(2, 0, 1) for _ in size]
        out = [window_extent(*v) for v in zip(size, window, strides, [1, 1], [1, 1], padding)]
        n = math.prod(size)
        values = r.rng.permutation(n).reshape(size).astype("float32")
        args = [values, np.arange(n, dtype="int32").reshape(size), np.float32(-1), np.int32(-1)]
        args = [np.asarray(a) for a in args]
        outs = [shaped(out, "float32"), shaped(out, "int32")]
        attrs = window_attrs(window, strides, [1, 1], [1, 1], padding)
        body = op("reduce_window", ["%a0", "%a1", "%a2", "%a3"], attrs, [ty(a) for a in args],
                  outs, ["%r0, %r1"], region)
        body = body.replace("%r0, %r1 =", "%r:2 =") + "\n" + "\n".join(
            f"  %r{k} = stablehlo.optimization_barrier %r#{k} : {outs[k]}" for k in range(2))
        case("reduce_window", body, args, outs)


def select_and_scatters():
    r = Random(4)
    made = 0
    while made < 12:
        rank = r.int(1, 4)
        dtype = r.choice(["float32", "float32", "float64", BF16])
        size = r.ints(rank, 1, 6 if rank < 3 else 4)
        window = [r.int(1, min(3, s)) for s in size]
        strides = r.ints(rank, 1, 3)
        padding = [[r.int(0, w - 1), r.int(0, w - 1)] for w in window]
        out = [window_extent(s, w, t, 1, 1, p) for s, w, t, p in zip(size, window, strides, padding)]
        if any(o <= 0 for o in out):
            continue
        t = shaped([], dtype)
        way = r.choice(["GE", "LE", "GT"])
        n = math.prod(size)
        operand = (r.rng.permutation(n).reshape(size) - n // 2).astype(dtype)
        args = [operand, r.small(out, dtype), np.asarray(0).astype(dtype)]
        select = (
            f"{{\n  ^bb0(%x: {t}, %y: {t}):\n    %p = stablehlo.compare {way}, %x, %y, FLOAT : "
            f"({t}, {t}) -> tensor<i1>\n    stablehlo.return %p : tensor<i1>\n  }}"
        )
        attrs = (f"window_dimensions = {array(window)}, window_strides = {array(strides)}, "
                 f"padding = {pairs(padding)}")
        body = op("select_and_scatter", ["%a0", "%a1", "%a2"], attrs, [ty(a) for a in args],
                  [ty(operand)], region=select + ", " + binary_region("add", dtype))
        made += case("select_and_scatter", body, args, [ty(operand)])


def index_layout(r, rank):
    """Roles of operand dimensions (batching, collapsed, window), and which of them are indexed."""
    roles = [r.choice(["batching", "collapsed", "window", "window"]) for _ in range(rank)]
    free = [d for d in range(rank) if roles[d] != "batching"]
    indexed = [d for d in free if r.int(0, 3) > 0]
    r.rng.shuffle(indexed)
    return roles, [int(d) for d in indexed]


def gathers():
    r = Random(5)
    made = 0
    while made < 24:
        rank = r.int(1, 4)
        shape = r.ints(rank, 2, 5)
        roles, indexed = index_layout(r, rank)
        if not indexed:
            continue
        batching = [d for d in range(rank) if roles[d] == "batching"]
        collapsed = [d for d in range(rank) if roles[d] == "collapsed"]
        window = [d for d in range(rank) if roles[d] == "window"]
        sizes = [1 if roles[d] != "window" else r.int(1, shape[d]) for d in range(rank)]
        extra = r.ints(r.int(0, 2), 1, 3)
        outer = [shape[d] for d in batching] + extra
        order = r.order(len(outer))
        outer = [outer[i] for i in order]
        place = {old: new for new, old in enumerate(order)}
        vector = r.int(0, len(outer))
        bare = len(indexed) == 1 and vector == len(outer)
        start_batching = [place[i] + (place[i] >= vector and not bare) for i in range(len(batching))]
        indices_shape = outer[:] if bare else outer[:vector] + [len(indexed)] + outer[vector:]
        dtype = r.choice(["int32", "int64", "uint8", "uint32"])
        indices = r.small(indices_shape, dtype, -3, 7)
        offset = sorted(r.order(len(outer) + len(window))[: len(window)])
        result, w, o = [], iter(window), iter(outer)
        for d in range(len(outer) + len(window)):
            result.append(sizes[next(w)] if d in offset else next(o))
        element = r.choice(["float32", "int8", "complex128", BF16, "bool", "int64"])
        args = [r.small(shape, element, -100, 100), indices]
        out_type = shaped(result, element)
        attrs = (
            f"dimension_numbers = #stablehlo.gather<offset_dims = {offset}, "
            f"collapsed_slice_dims = {collapsed}, operand_batching_dims = {batching}, "
            f"start_indices_batching_dims = {start_batching}, start_index_map = {indexed}, "
            f"index_vector_dim = {vector}>, slice_sizes = {array(sizes)}, "
            "indices_are_sorted = false"
        )
        body = op("gather", ["%a0", "%a1"], attrs, [ty(a) for a in args], [out_type])
        made += case("gather", body, args, [out_type])
    for dim, batch, shape, index in [(0, 0, [4, 3], [2]), (1, 1, [2, 5], [2, 3]), (1, 0, [2, 5, 2], [2, 2])]:
        args = [r.small(shape, "float32"), r.small(index, "int32", 0, shape[dim] - 1)]
        out_type = shaped(shape[:dim] + index[batch:] + shape[dim + 1:], "float32")
        attrs = f"dim = {dim} : i64, batch_dims = {batch} : i64"
        body = op("torch_index_select", ["%a0", "%a1"], attrs, [ty(a) for a in args], [out_type])
        case("torch_index_select", body, args, [out_type])


def scatters():
    r = Random(6)
    made = 0
    while made < 24:
        rank = r.int(1, 4)
        shape = r.ints(rank, 2, 5)
        roles, indexed = index_layout(r, rank)
        if not indexed:
            continue
        batching = [d for d in range(rank) if roles[d] == "batching"]
        inserted = [d for d in range(rank) if roles[d] == "collapsed"]
        window = [d for d in range(rank) if roles[d] == "window"]
        # An indexed window is one element wide: whole windows are inside or outside, which is where
        # the specification and XLA agree.
        sizes = [1 if d in indexed else r.int(1, shape[d]) for d in window]
        outer = [shape[d] for d in batching] + r.ints(r.int(0, 2), 1, 4)
        order = r.order(len(outer))
        outer = [outer[i] for i in order]
        place = {old: new for new, old in enumerate(order)}
        vector = r.int(0, len(outer))
        bare = len(indexed) == 1 and vector == len(outer)
        start_batching = [place[i] + (place[i] >= vector and not bare) for i in range(len(batching))]
        indices_shape = outer[:] if bare else outer[:vector] + [len(indexed)] + outer[vector:]
        indices = r.small(indices_shape, r.choice(["int32", "int64"]), -1, 5)
        update_window = sorted(r.order(len(outer) + len(window))[: len(window)])
        updates, w, o = [], iter(sizes), iter(outer)
        for d in range(len(outer) + len(window)):
            updates.append(next(w) if d in update_window else next(o))
        name = r.choice(["add", "add", "maximum", "minimum", "multiply"])
        dtype = r.choice(["float32", "float32", "int32", "float64", "int8", "complex64"])
        if np.dtype(dtype).kind == "c":
            name = "add"
        args = [r.small(shape, dtype), indices, r.small(updates, dtype, 1, 3)]
        attrs = (
            f"scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = {update_window}, "
            f"inserted_window_dims = {inserted}, input_batching_dims = {batching}, "
            f"scatter_indices_batching_dims = {start_batching}, "
            f"scatter_dims_to_operand_dims = {indexed}, index_vector_dim = {vector}>, "
            "indices_are_sorted = false, unique_indices = false"
        )
        body = op("scatter", ["%a0", "%a1", "%a2"], attrs, [ty(a) for a in args], [ty(args[0])],
                  region=binary_region(name, dtype))
        made += case("scatter", body, args, [ty(args[0])])
    overwriting_scatters(r)


def overwriting_scatters(r):
    """Distinct rows replaced, in one and in two inputs at once."""
    attrs = (
        "scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], "
        "inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, "
        "indices_are_sorted = false, unique_indices = true"
    )
    for dtype in ["float32", "bool", BF16]:
        t = shaped([], dtype)
        region = f"{{\n  ^bb0(%x: {t}, %y: {t}):\n    stablehlo.return %y : {t}\n  }}"
        args = [r.small([5, 3], dtype), np.array([[3], [9], [0]], "int64"), r.small([3, 3], dtype)]
        body = op("scatter", ["%a0", "%a1", "%a2"], attrs, [ty(a) for a in args], [ty(args[0])],
                  region=region)
        case("scatter", body, args, [ty(args[0])])
    f, i = "tensor<f32>", "tensor<i32>"
    region = (
        f"{{\n  ^bb0(%x: {f}, %i: {i}, %y: {f}, %j: {i}):\n    %s = stablehlo.add %x, %y : {f}\n"
        f"    %m = stablehlo.maximum %i, %j : {i}\n    stablehlo.return %s, %m : {f}, {i}\n  }}"
    )
    args = [r.small([5, 3], "float32"), r.small([5, 3], "int32"), np.array([[3], [9], [3]], "int64"),
            r.small([3, 3], "float32"), r.small([3, 3], "int32")]
    outs = [ty(args[0]), ty(args[1])]
    body = op("scatter", [f"%a{k}" for k in range(5)], attrs, [ty(a) for a in args], outs,
              ["%r:2"], region)
    body += "\n" + "\n".join(
        f"  %r{k} = stablehlo.optimization_barrier %r#{k} : {outs[k]}" for k in range(2))
    case("scatter", body, args, outs)


def algebra():
    r = Random(7)
    for dtype in ["float32", "float64", "complex64", "complex128"]:
        for lower in (True, False):
            for shape in ([3, 3], [2, 4, 4], [2, 0, 3, 3], [1, 1]):
                n = shape[-1]
                a = r.real(shape, dtype)
                a = (a @ np.conj(np.swapaxes(a, -1, -2)) + np.eye(n)).astype(dtype)
                mask = np.tril(np.ones([n, n])) if lower else np.triu(np.ones([n, n]))
                factor = op("cholesky", ["%a0"], f"lower = {str(lower).lower()}", [ty(a)], [ty(a)], ["%c"])
                # The other triangle is not specified.
                m = np.broadcast_to(mask, shape).astype(dtype)
                body = factor + f"\n  %r0 = stablehlo.multiply %c, %a1 : {ty(a)}"
                case("cholesky", body, [a, m], [ty(a)], 2e-5 if dtype in ("float32", "complex64") else 1e-10)
    kinds = ["NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"]
    for k in range(24):
        dtype = ["float32", "float64", "complex64", "complex128"][r.int(0, 3)]
        left, lower, unit, kind = k % 2 == 0, k // 2 % 2 == 0, k // 4 % 2 == 0, kinds[k % 3]
        batch, n, m = r.ints(r.int(0, 2), 1, 3), r.int(1, 5), r.int(1, 4)
        a = (r.real([*batch, n, n], dtype) + 3 * np.eye(n)).astype(dtype)
        b = r.real([*batch, n, m] if left else [*batch, m, n], dtype)
        attrs = (f"left_side = {str(left).lower()}, lower = {str(lower).lower()}, "
                 f"unit_diagonal = {str(unit).lower()}, transpose_a = #stablehlo<transpose {kind}>")
        body = op("triangular_solve", ["%a0", "%a1"], attrs, [ty(a), ty(b)], [ty(b)])
        # Only one triangle is read, so results can be large: the tolerance follows them.
        tri = np.tril(a) if lower else np.triu(a)
        if unit:
            idx = np.arange(n)
            tri[..., idx, idx] = 1
        size = float(np.max(np.abs(np.linalg.inv(tri)))) ** 1 * 10
        epsilon = 1e-6 if dtype in ("float32", "complex64") else 1e-14
        case("triangular_solve", body, [a, b], [ty(b)], size * epsilon * 20)


def transforms():
    r = Random(8)
    for double in (False, True):
        real, cplx = ("float64", "complex128") if double else ("float32", "complex64")
        for lengths in ([8], [7]) if double else ([8], [7], [1], [6, 5], [3, 2, 4]):
            for kind in ("FFT", "IFFT", "RFFT", "IRFFT"):
                batch = r.ints(r.int(0, 1), 2, 3)
                half = [*lengths[:-1], lengths[-1] // 2 + 1]
                shape = batch + (half if kind == "IRFFT" else lengths)
                out = batch + (half if kind == "RFFT" else lengths)
                x = r.real(shape, real if kind == "RFFT" else cplx)
                out_type = shaped(out, real if kind == "IRFFT" else cplx)
                attrs = f"fft_type = #stablehlo<fft_type {kind}>, fft_length = {array(lengths)}"
                if kind == "IRFFT":
                    # Real where a real signal's transform is: what libraries do otherwise differs.
                    full = np.fft.rfftn(np.random.default_rng(r.int(0, 99)).normal(size=batch + lengths),
                                        axes=range(-len(lengths), 0))
                    x = full.astype(cplx)
                body = op("fft", ["%a0"], attrs, [ty(x)], [out_type])
                case("fft", body, [x], [out_type], 1e-11 if double else 3e-5)


def norms():
    r = Random(9)
    for k in range(12):
        dtype = "float64" if k % 3 == 2 else "float32"
        shape = r.ints(r.int(2, 4), 2, 4)
        index = r.int(0, len(shape) - 1)
        n = shape[index]
        x, scale, offset, mean = r.real(shape, dtype), *(r.real([n], dtype) for _ in range(3))
        variance = np.abs(r.real([n], dtype)) + dtype_one(dtype)
        grad = r.real(shape, dtype)
        attrs = f"epsilon = 1.000000e-03 : f32, feature_index = {index} : i64"
        tolerance = 1e-9 if dtype == "float64" else 3e-5
        names = {
            "batch_norm_inference": ([x, scale, offset, mean, variance], [ty(x)]),
            "batch_norm_training": ([x, scale, offset], [ty(x), ty(scale), ty(scale)]),
            "batch_norm_grad": ([x, scale, mean, variance, grad], [ty(x), ty(scale), ty(scale)]),
        }
        for name, (args, outs) in names.items():
            operands = [f"%a{i}" for i in range(len(args))]
            if len(outs) == 1:
                body = op(name, operands, attrs, [ty(a) for a in args], outs)
            else:
                body = op(name, operands, attrs, [ty(a) for a in args], outs, ["%r:3"])
                body += "\n" + "\n".join(
                    f"  %r{i} = stablehlo.optimization_barrier %r#{i} : {outs[i]}" for i in range(3))
            case(name, body, args, outs, tolerance)


def dtype_one(dtype):
    return np.asarray(0.5).astype(dtype)


def bits():
    r = Random(10)
    for algorithm, words in [("PHILOX", 2), ("PHILOX", 3), ("THREE_FRY", 2), ("DEFAULT", 2)]:
        for dtype in ("uint32", "uint64", "int32", "int64", "uint8", "int16", "float32"):
            shape = r.choice([[], [1], [7], [2, 3], [3, 4], [3, 1, 5], [0, 2], [5, 2]])
            state = r.rng.integers(0, 2**64, words, dtype=np.uint64)
            if r.int(0, 1):
                state[1] = np.uint64(2**64 - 2)
            outs = [ty(state), shaped(shape, dtype)]
            attrs = f"rng_algorithm = #stablehlo<rng_algorithm {algorithm}>"
            body = op("rng_bit_generator", ["%a0"], attrs, [ty(state)], outs, ["%r:2"])
            body += "\n" + "\n".join(
                f"  %r{i} = stablehlo.optimization_barrier %r#{i} : {outs[i]}" for i in range(2))
            case("rng_bit_generator", body, [state], outs)


if __name__ == "__main__":
    for old in HERE.glob("*.mlir"):
        old.unlink()
    for family in (dots, convs, windows, select_and_scatters, gathers, scatters, algebra, transforms,
                   norms, bits):
        family()
    print(sum(COUNT.values()) + len(COUNT), "programs; last numbers:", re.sub(r"[{}']", "", str(COUNT)))
