"""Makes the programs in this folder: small JAX functions as StableHLO that checks itself.

Run from the repository root with jax installed: `python testdata/jax/make.py`.
Each file holds the function as `@program`, and a `@main` without parameters that calls it with
constants and compares the results with what JAX computed on a CPU, through the custom calls
`check.expect_eq` (exact), `check.expect_close` (units in the last place) and
`check.expect_almost_eq` (absolute tolerance).
"""

import pathlib
import re
import sys

import jax

jax.config.update("jax_enable_x64", True)

import jax.numpy as jnp
import ml_dtypes
import numpy as np
from jax import lax

HERE = pathlib.Path(__file__).parent
CASES = {}

NAMES = {
    "bool": "i1", "int2": "i2", "int4": "i4", "int8": "i8", "int16": "i16", "int32": "i32",
    "int64": "i64", "uint2": "ui2", "uint4": "ui4", "uint8": "ui8", "uint16": "ui16",
    "uint32": "ui32", "uint64": "ui64", "bfloat16": "bf16", "float16": "f16", "float32": "f32",
    "float64": "f64", "complex64": "complex<f32>", "complex128": "complex<f64>",
    "float8_e4m3fn": "f8E4M3FN", "float8_e5m2": "f8E5M2", "float8_e4m3b11fnuz": "f8E4M3B11FNUZ",
    "float8_e4m3fnuz": "f8E4M3FNUZ", "float8_e5m2fnuz": "f8E5M2FNUZ", "float4_e2m1fn": "f4E2M1FN",
}


def case(*args, ulps=None, tolerance=None, tpu=False, symbolic=None, debug=False):
    """Registers a function with its arguments and how closely results must agree."""

    def register(f):
        CASES[f.__name__] = (f, args, ulps, tolerance, tpu, symbolic, debug)
        return f

    return register


def tensor(a, dims=None):
    dims = a.shape if dims is None else dims
    return "tensor<" + "".join(f"{d}x" for d in dims) + NAMES[a.dtype.name] + ">"


def element(v, dtype):
    if dtype.kind == "b":
        return "true" if v else "false"
    if dtype.kind in "iu" or "int" in dtype.name:
        return str(int(v))
    if dtype.kind == "c":
        part = np.dtype("f4" if dtype.itemsize == 8 else "f8")
        return f"({element(v.real.astype(part), part)}, {element(v.imag.astype(part), part)})"
    if not np.isfinite(np.float64(v)) or (v == 0 and np.signbit(np.float64(v))):
        digits = {"float4_e2m1fn": 1}.get(dtype.name, dtype.itemsize * 2)
        return "0x" + np.asarray(v).tobytes()[::-1].hex().upper()[-digits:]
    # Narrow floats are exact as float32; the shortest text of that reads back the same.
    wide = np.float64(v) if dtype.itemsize == 8 else np.float32(v)
    return np.format_float_scientific(wide, unique=True, min_digits=1)


def dense(a):
    if a.size == 0:
        return "dense<>"

    def nested(x):
        if x.ndim == 0:
            return element(x[()], a.dtype)
        return "[" + ", ".join(nested(y) for y in x) + "]"

    return f"dense<{nested(a)}>"


def program(name):
    f, args, ulps, tolerance, tpu, symbolic, debug = CASES[name]
    args = [np.asarray(a) for a in args]
    f = jax.jit(f, keep_unused=True)
    want = [np.asarray(r) for r in jax.tree.leaves(f(*args))]
    dynamic = [None] * len(args)
    if symbolic:
        shapes = jax.export.symbolic_args_specs(args, symbolic)
        text = str(jax.export.export(f)(*shapes).mlir_module())
        dynamic = [[d if isinstance(d, int) else "?" for d in s.shape] for s in shapes]
    elif tpu:
        lowered = f.trace(*args).lower(lowering_platforms=("tpu",))
        text = lowered.as_text()
    else:
        text = f.lower(*args).as_text(debug_info=debug)
    head = text.index("func.func public @main(")
    signature = text[head : text.index("{\n", head)]
    text = text.replace("func.func public @main(", "func.func private @program(")
    # Results of symbolic programs have types of their own.
    result_types = []
    for part in signature.split(" -> ", 1)[1].split("tensor<")[1:]:
        depth, end = 1, 0
        while depth:
            depth += {"<": 1, ">": -1}.get(part[end], 0)
            end += 1
        result_types.append("tensor<" + part[:end])
    lines, operands, types = [], [], []
    for i, (a, dims) in enumerate(zip(args, dynamic)):
        lines.append(f"%in{i} = stablehlo.constant {dense(a)} : {tensor(a)}")
        operand, ty = f"%in{i}", tensor(a)
        if dims and "?" in dims:
            ty = tensor(a, dims)
            shape = np.asarray(a.shape, np.int32)
            lines.append(f"%shape{i} = stablehlo.constant {dense(shape)} : {tensor(shape)}")
            lines.append(
                f"%dyn{i} = stablehlo.dynamic_reshape %in{i}, %shape{i} : "
                f"({tensor(a)}, {tensor(shape)}) -> {ty}"
            )
            operand = f"%dyn{i}"
        operands.append(operand)
        types.append(ty)
    outs = result_types[0] if len(want) == 1 else "(" + ", ".join(result_types) + ")"
    pack = "" if len(want) == 1 else f":{len(want)}"
    lines.append(
        f"%out{pack} = call @program({', '.join(operands)}) : ({', '.join(types)}) -> {outs}"
    )
    for i, (w, ty) in enumerate(zip(want, result_types)):
        lines.append(f"%want{i} = stablehlo.constant {dense(w)} : {tensor(w)}")
        got = "%out" if len(want) == 1 else f"%out#{i}"
        inexact = w.dtype.kind in "fcV"
        if inexact and ulps is not None:
            call, extra = "close", f", max_ulp_difference = {ulps} : i64"
        elif inexact and tolerance is not None:
            call, extra = "almost_eq", f", tolerance = {tolerance:.1e} : f64"
        else:
            call, extra = "eq", ""
        lines.append(
            f"stablehlo.custom_call @check.expect_{call}({got}, %want{i}) "
            f"{{has_side_effect = true{extra}}} : ({ty}, {tensor(w)}) -> ()"
        )
    main = "  func.func public @main() {\n"
    main += "".join(f"    {line}\n" for line in lines) + "    return\n  }\n"
    at = text.index("  func.func private @program(")
    text = text[:at] + main + text[at:]
    # Locations name files by their last part only.
    text = re.sub(r'"[^"]*/([^"/]+)":(\d+):', r'"\1":\2:', text)
    return text.replace("module @jit_" + name, "module @" + name)


def rand(*shape, dtype=np.float32, seed=0, low=-2.0, high=2.0):
    values = np.random.RandomState(seed).uniform(low, high, shape)
    return values.astype(dtype)


def ints(*shape, dtype=np.int32, seed=0, low=-9, high=10):
    return np.random.RandomState(seed).randint(low, high, shape).astype(dtype)


def cplx(*shape, seed=0):
    return (rand(*shape, seed=seed) + 1j * rand(*shape, seed=seed + 1)).astype(np.complex64)


# Elementwise.

X = rand(9)
SPECIAL = np.array([0.0, -0.0, 1.5, -1.5, np.inf, -np.inf, np.nan, 1e-30, 2.5, 3.5], np.float32)


@case(X, ulps=64)
def transcendental(x):
    p = jnp.abs(x) + 0.5
    return (jnp.exp(x), jnp.log(p), jnp.sin(x), jnp.cos(x), jnp.tan(x), jnp.tanh(x), jnp.cbrt(x),
            jnp.expm1(x), jnp.log1p(p), lax.logistic(x), lax.rsqrt(p), jnp.sqrt(p),
            lax.pow(p, x), lax.atan2(x, p))


@case(X, tolerance=1e-5)
def hyperbolic(x):
    return (jnp.sinh(x), jnp.cosh(x), jnp.arcsinh(x), jnp.arccosh(jnp.abs(x) + 1),
            jnp.arctanh(x / 3), jnp.arcsin(x / 3), jnp.arccos(x / 3), jnp.arctan(x))


@case(X, tolerance=1e-5)
def error_functions(x):
    return lax.erf(x), lax.erfc(x), lax.erf_inv(x / 3), lax.bessel_i1e(x)


@case(rand(6, low=0.5, high=9.0), tolerance=1e-4)
def gamma_functions(x):
    return lax.lgamma(x), lax.digamma(x), lax.zeta(x + 1, x), lax.polygamma(jnp.ones_like(x), x)


@case(rand(4, low=0.5, high=3.0), rand(4, low=0.2, high=3.0, seed=1), tolerance=1e-5)
def incomplete_gamma(a, x):
    return lax.igamma(a, x), lax.igammac(a, x)


@case(SPECIAL)
def rounding(x):
    return (jnp.floor(x), jnp.ceil(x), lax.round(x, lax.RoundingMethod.TO_NEAREST_EVEN),
            lax.round(x, lax.RoundingMethod.AWAY_FROM_ZERO), jnp.sign(x), jnp.abs(x), -x,
            lax.is_finite(x), jnp.isnan(x), jnp.nan_to_num(x, nan=7.0))


@case(SPECIAL, SPECIAL[::-1].copy())
def extremes(x, y):
    return (jnp.maximum(x, y), jnp.minimum(x, y), x == y, x != y, x < y, x <= y, x > y, x >= y,
            jnp.where(x < y, x, y), lax.clamp(np.float32(-1), x, np.float32(2)), lax.nextafter(x, y))


@case(ints(8), ints(8, seed=1, low=1), ints(8, dtype=np.uint8, low=0, high=255, seed=2))
def integers(x, y, u):
    s = jnp.arange(8, dtype=jnp.int32) * 5
    return (x // y, x % y, lax.div(x, y), lax.rem(x, y), x & y, x | y, x ^ y, ~x,
            lax.shift_left(x, s), lax.shift_right_arithmetic(x, s),
            lax.shift_right_logical(x, s), lax.population_count(u), lax.clz(u), u * u,
            lax.integer_pow(x, 3))


@case(ints(6, dtype=ml_dtypes.int4, low=-8, high=8), ints(6, dtype=ml_dtypes.uint4, low=0, high=16))
def four_bits(x, u):
    return x + x, x.astype(jnp.int32) * 3, (u * u), u.astype(jnp.float32), x > 0


@case(rand(7, low=-300, high=300))
def conversions(x):
    return (x.astype(jnp.int32), x.astype(jnp.int8), x.astype(jnp.bfloat16),
            x.astype(jnp.float16), x.astype(jnp.float64), x.astype(jnp.complex64),
            x.astype(jnp.bool_), lax.bitcast_convert_type(x, jnp.uint32),
            lax.bitcast_convert_type(x, jnp.int16), lax.reduce_precision(x, 5, 7))


@case(rand(12, low=-20, high=20))
def small_floats(x):
    types = (jnp.float8_e4m3fn, jnp.float8_e5m2, jnp.float8_e4m3b11fnuz, jnp.float8_e4m3fnuz,
             jnp.float8_e5m2fnuz)
    return tuple(x.astype(t) for t in types) + tuple(x.astype(t).astype(jnp.float32) for t in types)


@case(cplx(6), cplx(6, seed=5), tolerance=1e-5)
def complex_numbers(x, y):
    return (x * y, x / y, jnp.exp(x), jnp.log(x), jnp.sqrt(x), jnp.tanh(x), jnp.abs(x),
            jnp.conj(x), x.real, y.imag, lax.complex(x.real, y.imag), x == y)


@case(rand(8, dtype=ml_dtypes.bfloat16), rand(8, dtype=ml_dtypes.bfloat16, seed=1), ulps=1)
def bfloat16(x, y):
    return x + y, x * y, x / (y + 3), jnp.tanh(x), jnp.maximum(x, y), x.sum()


# Moving elements.

M = np.arange(12, dtype=np.float32).reshape(3, 4)


@case(M)
def moves(x):
    return (x.T, x[::-1, ::-2], x.reshape(2, 6), jnp.concatenate([x, x[:1]], 0), x[1:, 1:3],
            lax.pad(x, jnp.float32(-1), [(1, 0, 2), (-1, 2, 0)]), jnp.tile(x, (1, 2)),
            jnp.broadcast_to(x[None], (2, 3, 4)), jnp.tril(x), jnp.eye(3, dtype=jnp.int16),
            jnp.roll(x, 1, axis=1), lax.squeeze(x[:, :1], (1,)))


@case(M, np.int32(2), np.int32(-1))
def dynamic_slices(x, i, j):
    part = lax.dynamic_slice(x, (i, j), (2, 3))
    return part, lax.dynamic_update_slice(x, -part, (j, i))


@case(M, np.array([2, 0, 5], np.int32), np.array([[0, 1], [3, 2], [1, 1]], np.int32))
def gathers(x, rows, columns):
    return (jnp.take(x, rows, axis=0, mode="clip"), jnp.take_along_axis(x, columns, axis=1),
            x.at[rows].get(mode="fill", fill_value=-1.0), x[1, columns])


@case(np.arange(24, dtype=np.float32).reshape(2, 3, 4), np.array([[0, 2], [1, 1]], np.int32))
def batched_gather(x, i):
    return jax.vmap(lambda m, r: m[r])(x, i), jax.vmap(lambda m, r: m[:, r])(x, i)


@case(M, np.array([[0], [2], [0], [7]], np.int32), rand(4, 4, seed=3), tolerance=1e-6)
def scatters(x, i, u):
    r = i[:, 0]
    return (x.at[r].add(u), x.at[r[:2]].set(u[:2]), x.at[r].max(u), x.at[r].min(u),
            x.at[r[:2]].multiply(u[:2]), x.at[1, 2].set(9.0))


@case(rand(6, 2), np.array([0, 2, 1, 0, 2, 2], np.int32), tolerance=1e-6)
def segment_sums(x, s):
    return jax.ops.segment_sum(x, s, 3), jax.ops.segment_max(x, s, 3), jnp.bincount(s, length=4)


@case(np.arange(24, dtype=np.float32).reshape(2, 3, 4), np.array([[0, 2], [1, 1]], np.int32))
def batched_scatter(x, i):
    return jax.vmap(lambda m, r: m.at[r].set(-1.0))(x, i)


# Folding.


@case(rand(3, 5), tolerance=1e-5)
def reductions(x):
    return (x.sum(), x.sum(0), x.max(1), x.min(), x.prod(1), x.mean(0), x.var(), (x > 0).any(1),
            (x > 0).all(), jax.nn.logsumexp(x, axis=1), jnp.linalg.norm(x))


@case(np.array([[3, 1, 3], [np.nan, 5, 0], [-1, -1, -2]], np.float32))
def arg_extremes(x):
    return jnp.argmax(x, 1), jnp.argmin(x, 0), jnp.argmax(x)


@case(ints(3, 4, low=0, high=3))
def integer_reductions(x):
    return (x.sum(0), x.prod(1), x.max(), jnp.bitwise_and.reduce(x, axis=0),
            jnp.bitwise_or.reduce(x, axis=1), jnp.bitwise_xor.reduce(x, axis=0),
            jnp.count_nonzero(x))


@case(rand(2, 5), tolerance=1e-5)
def cumulative(x):
    return (jnp.cumsum(x, 1), jnp.cumprod(x, 0), lax.cummax(x, axis=1), lax.cummin(x, axis=1),
            lax.cumsum(x, axis=1, reverse=True), lax.cumlogsumexp(x, axis=1))


@case(rand(1, 6, 6, 2), tolerance=1e-6)
def pools(x):
    grad = jax.grad(lambda x: (lax.reduce_window(
        x, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "SAME") ** 2).sum())
    return (lax.reduce_window(x, -jnp.inf, lax.max, (1, 3, 3, 1), (1, 2, 2, 1), "SAME"),
            lax.reduce_window(x, 0.0, lax.add, (1, 2, 2, 1), (1, 1, 1, 1), "VALID",
                              window_dilation=(1, 2, 1, 1)), grad(x))


@case(np.array([[3, 1, np.nan, -2], [0.0, -0.0, np.inf, -np.inf]], np.float32),
      ints(2, 4, low=0, high=3))
def sorts(x, k):
    keys, values = lax.sort((k, x), dimension=1, num_keys=1, is_stable=True)
    return (jnp.sort(x, axis=1), jnp.argsort(x, axis=1), keys, values,
            -jnp.sort(-x, axis=0), *lax.sort((k, x), dimension=0, num_keys=2))


@case(rand(3, 7), ints(7, low=0, high=4))
def top_ks(x, y):
    return (*lax.top_k(x, 3), *lax.top_k(y, 4))


# Contractions.


@case(rand(2, 3, 4), rand(2, 4, 5, seed=1), rand(4, seed=2), tolerance=1e-5)
def dots(x, y, v):
    high = lax.Precision.HIGHEST
    return (x @ y, jnp.einsum("bij,bjk->kbi", x, y), x @ v, jnp.dot(v, v, precision=high),
            jnp.tensordot(x, y, ((0, 2), (0, 1))), jnp.outer(v, v),
            lax.dot(x[0], y[0], precision=lax.DotAlgorithmPreset.F32_F32_F32))


@case(ints(3, 4, dtype=np.int8), ints(4, 2, dtype=np.int8, seed=1),
      rand(3, 4, dtype=ml_dtypes.bfloat16), rand(4, 2, dtype=ml_dtypes.bfloat16, seed=1),
      tolerance=1e-2)
def mixed_dots(i, j, x, y):
    return (lax.dot(i, j, preferred_element_type=jnp.int32),
            lax.dot(x, y, preferred_element_type=jnp.float32), x @ y)


@case(cplx(2, 3), cplx(3, 2, seed=7), tolerance=1e-5)
def complex_dot(x, y):
    return x @ y


@case(rand(1, 6, 5, 2), rand(3, 3, 2, 4, seed=1), tolerance=1e-5)
def convolutions(x, k):
    def conv(**kw):
        kw = {"window_strides": (1, 1), "padding": "SAME",
              "dimension_numbers": ("NHWC", "HWIO", "NHWC")} | kw
        return lax.conv_general_dilated(x, kw.pop("k", k), **kw)
    depthwise = k[:, :, :1, :]
    return (conv(), conv(window_strides=(2, 2), padding="VALID"), conv(rhs_dilation=(2, 1)),
            conv(lhs_dilation=(2, 2), padding=((1, 2), (2, 1))),
            conv(k=depthwise, feature_group_count=2),
            lax.conv_transpose(x, k, (2, 2), "SAME"))


@case(rand(2, 2, 7), rand(4, 2, 3, seed=1), tolerance=1e-5)
def convolution_gradient(x, k):
    def loss(x, k):
        return (lax.conv(x, k, (2,), "SAME") ** 2).sum()
    return jax.grad(loss, (0, 1))(x, k)


# Linear algebra and transforms.

SPD = (lambda a: a @ a.T + 3 * np.eye(3, dtype=np.float32))(rand(3, 3))


@case(SPD, tolerance=1e-5, tpu=True)
def cholesky(a):
    return lax.linalg.cholesky(a)


@case(np.tril(SPD) + np.eye(3, dtype=np.float32), rand(3, 2, seed=4), tolerance=1e-5, tpu=True)
def triangular_solves(a, b):
    solve = lax.linalg.triangular_solve
    return (solve(a, b, left_side=True, lower=True),
            solve(a, b, left_side=True, lower=True, transpose_a=True),
            solve(a.T, b.T, left_side=False, lower=False, unit_diagonal=True))


@case(cplx(2, 8), rand(2, 6, seed=3), tolerance=1e-4)
def transforms(z, x):
    return (jnp.fft.fft(z), jnp.fft.ifft(z), jnp.fft.fft2(z), jnp.fft.rfft(x),
            jnp.fft.irfft(jnp.fft.rfft(x)), jnp.fft.rfft2(x))


# Random numbers.


@case(np.array([3, 7], np.uint32), tolerance=1e-5)
def random_numbers(key):
    return (jax.random.bits(key, (5,)), jax.random.uniform(key, (4,), jnp.float32),
            jax.random.normal(key, (3,), jnp.float32), jax.random.randint(key, (6,), 0, 10),
            jax.random.permutation(key, 6))


@case(np.array([1, 2, 3, 4], np.uint32))
def random_bits(key):
    state, bits = lax.rng_bit_generator(key, (7,), jnp.uint32, lax.RandomAlgorithm.RNG_THREE_FRY)
    return state, bits


# Control.


@case(rand(3), np.int32(4), ulps=2)
def loops(x, n):
    def body(state):
        i, y = state
        return i + 1, y * 0.5 + x
    i, y = lax.while_loop(lambda s: s[0] < n, body, (0, x))
    return i, y, lax.fori_loop(0, 3, lambda i, y: y + i * x, x)


@case(rand(5, 3), rand(3, seed=1), tolerance=1e-5)
def scans(xs, h):
    def step(c, x):
        c = jnp.tanh(c + x)
        return c, c.sum()
    return lax.scan(step, h, xs), lax.associative_scan(jnp.multiply, xs)


@case(np.bool_(True), np.int32(2), rand(3), ulps=4)
def branches(p, i, x):
    return (lax.cond(p, jnp.sin, jnp.cos, x),
            lax.switch(i, [lambda x: x + 1, lambda x: x * 2, lambda x: -x], x),
            lax.switch(i + 9, [lambda x: x, lambda x: x - 1], x))


@case(rand(4), np.array([1, 3, 0, 2], np.int32), ulps=2)
def batched_loop(x, n):
    def one(x, n):
        return lax.while_loop(lambda s: s[0] < n, lambda s: (s[0] + 1, s[1] * 2), (0, x))
    return jax.vmap(one)(x, n)


@case(rand(2, 2), ulps=2)
def nested_loops(x):
    def outer(i, y):
        return lax.fori_loop(0, i, lambda j, z: z + x[j % 2], y)
    return lax.fori_loop(1, 4, outer, x)


# Derivatives and layers.


@jax.custom_jvp
def softplus(x):
    return jnp.log1p(jnp.exp(-jnp.abs(x))) + jnp.maximum(x, 0)


@softplus.defjvp
def _(primals, tangents):
    return softplus(primals[0]), lax.logistic(primals[0]) * tangents[0]


@case(X, tolerance=1e-5)
def custom_derivative(x):
    return jax.jvp(softplus, (x,), (jnp.ones_like(x),)), jax.grad(lambda x: softplus(x).sum())(x)


@case(rand(4, 3), rand(3, 5, seed=1), rand(5, seed=2), np.array([0, 4, 2, 1], np.int32),
      tolerance=1e-5)
def train_step(x, w, b, labels):
    def loss(w, b):
        logits = jax.nn.gelu(x @ w + b)
        return -jnp.take_along_axis(jax.nn.log_softmax(logits), labels[:, None], 1).mean()
    value, (dw, db) = jax.value_and_grad(loss, (0, 1))(w, b)
    return value, w - 0.1 * dw, b - 0.1 * db


@case(rand(2, 4, 3), rand(2, 4, 3, seed=1), rand(2, 4, 3, seed=2), tolerance=1e-5, debug=True)
def attention(q, k, v):
    s = jnp.einsum("bqd,bkd->bqk", q, k) / np.sqrt(3).astype(np.float32)
    s = jnp.where(jnp.tril(jnp.ones((4, 4), bool)), s, -jnp.inf)
    return jax.nn.softmax(s, axis=-1) @ v


@case(rand(3, 6), rand(6, seed=1), tolerance=1e-5)
def layer_norm(x, g):
    y = x - x.mean(-1, keepdims=True)
    return lax.optimization_barrier(y * lax.rsqrt((y * y).mean(-1, keepdims=True) + 1e-6)) * g


@case(rand(3), ulps=4)
def composites(x):
    double = lax.composite(lambda x, factor: x * factor, name="tfjit.double")
    return double(x, factor=np.float32(2.0))


# Unknown extents.


@case(M, symbolic="a, b", tolerance=1e-5)
def unknown_extents(x):
    y = x + jnp.arange(x.shape[1], dtype=jnp.float32)
    return (y.sum(0), y.reshape(-1), jnp.concatenate([y, y[:1]], 0), jnp.zeros(x.shape[0]),
            jnp.broadcast_to(y[:, :1], y.shape), y @ y.T, jnp.argmax(y, 1))


@case(M.T.copy(), np.array([1, 2], np.int32), symbolic=["2*b, c", "d"])
def unknown_slices(x, i):
    return x[2:, 1:], x[i], jnp.pad(x, ((1, 1), (0, 2)))


def main():
    wanted = sys.argv[1:] or CASES
    for name in wanted:
        text = program(name)
        (HERE / f"{name}.mlir").write_text(text)
        print(f"{name}: {len(text)} bytes")


main()
