"""Writes cases.npz and cases.txt: arrays, and what NumPy prints for them.

Run with NumPy 2.4 and ml_dtypes: python make.py. A key names the dtype in front; `rows.` prints
each row by itself, `scalars.` each element by itself.
"""

import numpy as np
import ml_dtypes

rng = np.random.default_rng(7)
cases = {}
EXTENSION = ['bfloat16', 'float8_e4m3fn', 'float8_e5m2', 'float8_e4m3fnuz', 'float4_e2m1fn',
             'int4', 'uint4', 'int2', 'uint2']


def spread(n, width, low, high, dtype):
    """Numbers of both signs whose magnitudes span powers of ten, rows more or less alike."""
    base = rng.uniform(low, high, (n, 1))
    exponent = base + rng.uniform(0, 1, (n, 1)) * rng.normal(0, 1.5, (n, width))
    values = rng.choice([-1, 1], (n, width), p=[.3, .7]) * 10.0 ** exponent
    short = rng.uniform(0, 1, (n, 1)) < .4
    with np.errstate(all='ignore'):
        return np.where(short, np.round(values, 2), values).astype(dtype)


for dtype, low, high in [('float16', -6, 4), ('float32', -10, 12), ('float64', -20, 25)]:
    cases[f'rows.{dtype}.spread'] = spread(150, 6, low, high, dtype)
    cases[f'rows.{dtype}.near'] = spread(100, 9, -3, 3, dtype)
    cases[f'scalars.{dtype}.spread'] = spread(100, 1, low, high, dtype)[:, 0]
    edge = [0.0, -0.0, np.nan, np.inf, -np.inf, 1, -1, 0.1, 1e-4, 9.999e-5, 1e-3, 999, 1000, 1001,
            1e4, 0.001953125, 0.005859375, 2.0 ** -10, 3.0 ** -5]
    if dtype != 'float16':
        edge += [1e6, 999999.0, 1e8, 1e16, 123456789.0, 16777217.0, 9999999.5]
    cases[f'scalars.{dtype}.edge'] = np.array(edge, dtype)
    finite = np.array(edge, dtype)
    for i, row in enumerate([
            [0.0], [-0.0, 1], [np.nan], [np.inf, -np.inf], [np.nan, 1.5], [-np.inf, 0.25, 100],
            [np.nan, 1e-5], [1e-5, -np.inf], [0, 1000], [1, 1000], [1, 1000.5], [0.1, 100.1],
            [1e-4, 1], [0.00195312, 0.001953125], [1, 2, 3], [1, 10, 100], [-1, 10.5],
            [0, 0, 0], [5e-324, 1], [9.5, 9.49999], [0.99999999, 1]]):
        cases[f'{dtype}.edge{i}'] = np.array(row, dtype)
    cases[f'{dtype}.min'] = np.array([np.finfo(dtype).smallest_subnormal, np.finfo(dtype).max])
for dtype in ['float32', 'float64']:
    cases[f'{dtype}.tail'] = np.array([0.1, 1.2345678e-5, 16777217, 0.30000001], dtype)
    cases[f'{dtype}.large'] = np.array([123456.789, 999999.9, 0.5], dtype)
    cases[f'{dtype}.million'] = np.array([1e6, 1], dtype)
    cases[f'rows.{dtype}.bits'] = rng.integers(
        0, 2 ** (32 if dtype == 'float32' else 64), (200, 3),
        dtype='u4' if dtype == 'float32' else 'u8').view(dtype)
cases['rows.float16.bits'] = rng.integers(0, 2 ** 16, (300, 3), dtype='u2').view('float16')

for dtype, part in [('complex64', 'float32'), ('complex128', 'float64')]:
    values = spread(60, 4, -5, 7, part) + 1j * spread(60, 4, -5, 7, part)
    cases[f'rows.{dtype}.spread'] = values.astype(dtype)
    cases[f'scalars.{dtype}.spread'] = values[:, 0].astype(dtype)
    cases[f'scalars.{dtype}.edge'] = np.array(
        [0, 1, 1j, -1j, complex(-0.0, -2), complex(np.nan, np.inf), complex(1, -np.inf),
         1 + 2j, 1e-5 + 1e20j, complex(0, np.nan)], dtype)
    cases[f'{dtype}.edge'] = np.array([complex(np.nan, -np.inf), 1 + 2j, -1.5 - 0.25j], dtype)
    cases[f'{dtype}.finite'] = np.array([[1 + 2j, 0.5], [-3j, 10]], dtype)
    cases[f'{dtype}.none'] = np.array([complex(np.nan, np.nan)], dtype)

for dtype in ['int8', 'int16', 'int32', 'int64', 'uint8', 'uint16', 'uint32', 'uint64']:
    info = np.iinfo(dtype)
    cases[f'{dtype}.range'] = np.array([info.min, 0, 1, info.max], dtype)
    cases[f'{dtype}.grid'] = rng.integers(0, 100, (3, 4)).astype(dtype)
    cases[f'scalars.{dtype}'] = np.array([info.min, info.max], dtype)
cases['bool.some'] = np.array([True, False])
cases['bool.grid'] = rng.integers(0, 2, (3, 30)).astype(bool)
cases['scalars.bool'] = np.array([True, False])

for dtype in EXTENSION:
    numbers = [1, 0, 1, 1] if 'int' in dtype else [1, 1.5, -2, 0.25, 3, 0.1, 100, 3.14159, 0, -0.0]
    cases[f'{dtype}.some'] = np.array(numbers, np.float32).astype(dtype)
    cases[f'scalars.{dtype}'] = cases[f'{dtype}.some']
cases['bfloat16.edge'] = np.array(
    [1e10, 1e-5, np.nan, np.inf, -np.inf, 123456, 1e38, 1e-40, 65536, 1 / 3], 'bfloat16')
cases['bfloat16.long'] = (np.arange(60) * 1.7).astype('bfloat16').reshape(2, 30)
cases['bfloat16.sum'] = (np.arange(1200) * 1.7).astype('bfloat16')

# Shapes: line breaks, summaries, ranks, empty ones.
for shape in [(30,), (1000,), (1001,), (40, 40), (11, 11, 11), (3, 7, 60), (2, 2, 300), (7, 200),
              (6, 200), (1, 1, 1), (2, 1, 3, 1), (2, 2, 2, 2, 2), (500, 2), (334, 3, 1), (1001, 1)]:
    n = int(np.prod(shape))
    name = 'x'.join(map(str, shape))
    cases[f'float32.shape{name}'] = (rng.normal(0, 1, n).astype('float32')).reshape(shape)
    cases[f'int64.shape{name}'] = rng.integers(-1000, 100000, n).reshape(shape)
    cases[f'bool.shape{name}'] = rng.integers(0, 2, n).astype(bool).reshape(shape)
for shape in [(0,), (0, 3), (2, 0, 3)]:
    cases[f'float32.empty{"x".join(map(str, shape))}'] = np.zeros(shape, 'float32')
cases['float32.deep'] = np.ones((1,) * 20, 'float32')
cases['float32.outlier'] = np.concatenate([np.ones(600), [1e9], np.ones(600)]).astype('float32')
cases['int32.outlier'] = np.concatenate([np.ones(600), [1e9], np.ones(600)]).astype('int32')

# Strings are stored with a fixed width and come out of a session as Python objects.
words = [b'a', b'bc', b'', b"it's", b'say "hi"', b'both \' and "', b'back\\slash', b'nl\n\r\t',
         b'\x00\x01\x7f\x80\xff!', 'Gr\u00fc\u00dfe'.encode(), b'x' * 90]
cases['bytes.words'] = np.array(words)
cases['scalars.bytes'] = np.array(words)
cases['bytes.grid'] = np.array([[b'a', b'bcd'], [b'ef', b'g']])
cases['bytes.many'] = np.array([b'w%d' % i for i in range(1500)])

with open('cases.txt', 'w') as out:
    for name, a in cases.items():
        if 'bytes' in name:
            a = a.astype(object)
        parts = a if name.startswith('rows.') else a.tolist() if 'scalars.bytes' in name else (
            [x for x in a] if name.startswith('scalars.') else [a])
        for part in parts:
            out.write(f'== {name}\n{part!s}\n')
np.savez_compressed('cases.npz', **cases)

# The same arrays in other layouts: `NAME.plain` is what each `NAME.*` holds.
grid = rng.integers(-1000, 1000, (3, 4, 2))
layouts = {}
for dtype in ['int16', 'int32', 'int64', 'float16', 'float32', 'float64', 'complex64', 'complex128']:
    plain = grid.astype(dtype) * (1 + 2j if dtype.startswith('complex') else 1)
    plain = plain.astype(dtype)
    layouts[f'{dtype}.plain'] = plain
    layouts[f'{dtype}.fortran'] = np.asfortranarray(plain)
    layouts[f'{dtype}.big'] = plain.astype(plain.dtype.newbyteorder('>'))
    layouts[f'{dtype}.both'] = np.asfortranarray(layouts[f'{dtype}.big'])
text = np.array([['a', 'Gr\u00fc\u00dfe', ''], ['x' * 7, '\U0001f600', 'a\0b']])
layouts['text.unicode'] = text
layouts['text.big'] = text.astype(text.dtype.newbyteorder('>'))
layouts['text.fortran'] = np.asfortranarray(text)
layouts['text.plain'] = np.char.encode(text, 'utf-8')
layouts['nothing.plain'] = np.zeros((2, 2), 'S0')
layouts['nothing.unicode'] = np.zeros((2, 2), 'U0')
np.savez_compressed('layouts.npz', **layouts)
