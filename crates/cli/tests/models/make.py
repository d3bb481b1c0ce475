"""Writes the models of this folder, and ../cases/saved_model_cli_*.txt: what TensorFlow's own
saved_model_cli prints for them.

Run with TensorFlow 2.21 and NumPy 2.4: python make.py. Each command runs in a process of its own,
as the order of some of its output depends on that. Sets, which it prints in no order, are sorted.
"""

import collections
import os
import re
import shlex
import shutil
import subprocess
import sys

os.environ['TF_CPP_MIN_LOG_LEVEL'] = '3'
os.environ['TF_ENABLE_ONEDNN_OPTS'] = '0'

import numpy as np
import tensorflow as tf

tf1 = tf.compat.v1
Point = collections.namedtuple('Point', ['x', 'y'])


def spec(*shape, dtype=tf.float32, name=None):
    return tf.TensorSpec(shape, dtype, name)


class Mlp(tf.Module):
    """Two layers, a second signature with two inputs, a counter."""

    def __init__(self):
        super().__init__()
        self.w = tf.Variable(np.arange(6).reshape(3, 2).astype('f4') / 4 - 0.5, name='w')
        self.b = tf.Variable(np.array([0.25, -0.125], 'f4'), name='b')
        self.count = tf.Variable(0, dtype=tf.int64, name='count')

    @tf.function(input_signature=[spec(None, 3, name='x')])
    def predict(self, x):
        return {'y': tf.nn.relu(x @ self.w + self.b)}

    @tf.function(input_signature=[spec(None, name='x'), spec(dtype=tf.int32, name='times')])
    def scale(self, x, times):
        y = x * tf.cast(times, tf.float32)
        return {'product': y, 'positive': y > 0, 'total': tf.reduce_sum(y)}

    @tf.function(input_signature=[spec(dtype=tf.int64, name='by')])
    def bump(self, by):
        return {'count': self.count.assign_add(by)}


class Text(tf.Module):
    """Strings in and out, and an example parsed."""

    @tf.function(input_signature=[spec(None, dtype=tf.string, name='words')])
    def upper(self, words):
        return {'upper': tf.strings.upper(words), 'length': tf.strings.length(words)}

    @tf.function(input_signature=[spec(None, dtype=tf.string, name='examples')])
    def parse(self, examples):
        features = {'f': tf.io.FixedLenFeature([2], tf.float32),
                    'g': tf.io.FixedLenFeature([], tf.string, '')}
        return tf.io.parse_example(examples, features)


class Arguments(tf.Module):
    """Functions called in every way that an object graph can describe."""

    @tf.function
    def many(self, x, flag=True, n=3, rate=0.5, mode='fast', nothing=None):
        return tf.cast(x, tf.float32) * rate

    @tf.function
    def nested(self, pair, table, point, *rest, **more):
        return pair[0] + table['a'] + point.x

    @tf.function(input_signature=[tf.RaggedTensorSpec([None, None], tf.int32),
                                  tf.SparseTensorSpec([None, 4], tf.float32)])
    def composite(self, r, s):
        return r.values

    @tf.function(input_signature=[])
    def nullary(self):
        return tf.constant(1.)

    @tf.function(input_signature=[
        tf.TensorSpec(None, tf.complex64), spec(dtype=tf.bfloat16), spec(2, None, dtype=tf.string),
        spec(dtype=tf.half), spec(1, dtype=tf.uint64, name='renamed'), spec(dtype=tf.bool),
        spec(dtype=tf.float64)])
    def types(self, a, b, c, d, e, f, g):
        return tf.identity(a)

    @tf.function
    def keyword(self, *, a):
        return a + 1

    @tf.function
    def listed(self, xs):
        return xs[0]


def arguments():
    m = Arguments()
    x = spec(None, 2, name='x')
    m.many.get_concrete_function(x)
    m.many.get_concrete_function(spec(2, dtype=tf.int32))
    m.many.get_concrete_function(x, flag=False, mode="it's")
    for i in range(4):
        m.many.get_concrete_function(x, n=10 + i)
    m.nested.get_concrete_function((spec(2), spec(2)), {'a': spec(2)}, Point(spec(2), 'p'),
                                   spec(dtype=tf.int32), 7, extra=spec(dtype=tf.int64))
    m.keyword.get_concrete_function(a=spec(3))
    m.listed.get_concrete_function([spec(3), 1, 's', None, 1e-5, (True,), []])
    m.listed.get_concrete_function([[spec(3)], True])
    m.bare = m.listed.get_concrete_function([spec(3), 1, 's', None, 1e-5, (True,), []])
    return m


def two_graphs(folder):
    """Two meta graphs as TensorFlow 1 writes them."""
    builder = tf1.saved_model.builder.SavedModelBuilder(folder)
    for tags, factor in [(['serve'], 2.0), (['serve', 'gpu'], 3.0)]:
        with tf1.Graph().as_default(), tf1.Session() as session:
            x = tf1.placeholder(tf.float32, [None, None], name='x')
            y = tf.multiply(x, factor, name='y')
            signature = tf1.saved_model.predict_signature_def({'input': x}, {'output': y})
            add = builder.add_meta_graph if tags[1:] else builder.add_meta_graph_and_variables
            args = [tags] if tags[1:] else [session, tags]
            add(*args, signature_def_map={'double': signature, 'again': signature})
    builder.save()


def models():
    for name in ['mlp', 'text', 'arguments', 'two_graphs']:
        shutil.rmtree(name, ignore_errors=True)
    mlp = Mlp()
    tf.saved_model.save(mlp, 'mlp', {
        'serving_default': mlp.predict, 'scale': mlp.scale, 'bump': mlp.bump})
    text = Text()
    tf.saved_model.save(text, 'text', {'serving_default': text.upper, 'parse': text.parse})
    m = arguments()
    tf.saved_model.save(m, 'arguments', {'serving_default': m.types})
    two_graphs('two_graphs')
    for name in ['mlp', 'text', 'arguments', 'two_graphs']:
        for rest in ['assets', 'fingerprint.pb']:
            path = f'{name}/{rest}'
            shutil.rmtree(path) if os.path.isdir(path) else os.path.exists(path) and os.remove(path)
    rows = np.array([[1, 2, 3], [-1, 0.5, 2]], 'f8')
    np.save('rows.npy', rows)
    np.savez_compressed('rows.npz', rows=rows, one=rows[:1].astype('f4'))
    np.savez('only.npz', only=np.array([b'gr\xc3\xbcn', b'b']))


SHOW = '''
show --dir mlp
show --dir mlp --all
show --dir mlp --tag_set serve
show --dir mlp --tag_set=serve --signature_def=scale
show --dir mlp --tag_set serve --signature_def __saved_model_init_op
show --dir mlp --tag_set serve --list_ops
show --dir mlp --list_ops
show --dir mlp --tag_set serve --signature_def nope
show --dir mlp --tag_set nope
show --dir nowhere
show --dir text --all
show --dir arguments --all
show --dir two_graphs
show --dir two_graphs --all
show --dir two_graphs --tag_set serve,gpu
show --dir two_graphs --tag_set gpu,serve --signature_def double
show --dir two_graphs --tag_set gpu
show --dir two_graphs --tag_set " serve" --signature_def double
show --dir two_graphs --tag_set " serve"
show --dir two_graphs --tag_set "" --list_ops
scan --dir mlp
scan --dir two_graphs --tag_set serve
scan --dir text --op_denylist "StringUpper, NoOp ,Absent"
scan --dir text --op_denylist Absent --tag_set serve
scan --dir text --op_denylist ","
scan --dir mlp --tag_set nope
'''

RUN = '''
run --dir mlp --tag_set serve --signature_def serving_default --input_exprs "x=[[1.0,2,3],[-1,.5,2]]"
run --dir mlp --tag_set serve --signature_def serving_default --inputs x=rows.npy
run --dir mlp --tag_set serve --signature_def serving_default --inputs x=rows.npz[one]
run --dir mlp --tag_set serve --signature_def serving_default --inputs x=rows.npz[rows] --outdir {tmp}/new
run --dir mlp --tag_set serve --signature_def scale --input_exprs "x=[1.5,-2.0];times=3" --outdir {tmp}/o
run --dir mlp --tag_set serve --signature_def scale --input_exprs "x=[1.5,-2.0];times=3" --outdir {tmp}/o --overwrite
run --dir mlp --tag_set serve --signature_def scale --input_exprs "x=[];times=3"
run --dir mlp --tag_set serve --signature_def bump --input_exprs "by=41"
run --dir text --tag_set serve --signature_def serving_default --input_exprs "words=['abc','gr\\u00fcn',b'\\xff']"
run --dir text --tag_set serve --signature_def serving_default --inputs words=only.npz
run --dir text --tag_set serve --signature_def parse --input_examples "examples=[{'f':[1.0,2],'g':['s']},{'f':[0.5,0.25]}]"
run --dir two_graphs --tag_set serve --signature_def double --input_exprs "input=[[1,2],[3,4]]"
run --dir two_graphs --tag_set gpu,serve --signature_def again --inputs input=rows.npy
'''

FAIL = '''
run --dir mlp --tag_set serve --signature_def serving_default
run --dir mlp --tag_set serve --signature_def nope --input_exprs "x=1"
run --dir mlp --tag_set nope --signature_def scale --input_exprs "x=1"
run --dir mlp --tag_set serve --signature_def scale --input_exprs "zz=1"
run --dir mlp --tag_set serve --signature_def serving_default --input_exprs "x=np.ones((1,3))"
run --dir mlp --tag_set serve --signature_def serving_default --input_exprs "x"
run --dir mlp --tag_set serve --signature_def serving_default --inputs x=rows.npz
run --dir mlp --tag_set serve --signature_def serving_default --inputs x=rows.npz[zz]
run --dir mlp --tag_set serve --signature_def serving_default --inputs x=[zz]
run --dir mlp --tag_set serve --signature_def serving_default --inputs x=nowhere.npy
run --dir mlp --tag_set serve --signature_def serving_default --input_exprs "x=[[1,2]]"
run --dir mlp --tag_set serve --signature_def scale --input_exprs "x=[1]"
run --dir text --tag_set serve --signature_def parse --input_examples "examples={'f':[1.0]}"
run --dir text --tag_set serve --signature_def parse --input_examples "examples=[{'f':1.0}]"
'''


def sorted_sets(text):
    def one(match):
        return '{' + ', '.join(sorted(re.findall("'[^']*'", match.group(0)))) + '}'
    return re.sub(r"(?<=: )\{'[^{}]*'\}", one, text)


def record(path, title, commands):
    tmp = '/tmp/saved_model_cli_cases'
    shutil.rmtree(tmp, ignore_errors=True)
    tool = os.path.join(os.path.dirname(sys.executable), 'saved_model_cli')
    with open(path, 'w') as out:
        out.write(f'# {title} Written by ../models/make.py.\n# stdout only\n')
        for command in commands.strip().splitlines():
            words = shlex.split(command.replace('{tmp}', tmp))
            done = subprocess.run([tool, *words], capture_output=True, text=True)
            text = sorted_sets(done.stdout.replace(tmp, '{tmp}'))
            out.write(f'\n$ tfjit {command}\n{text}')
            if text and not text.endswith('\n'):
                out.write('\n--- no newline\n')
            if done.returncode:
                out.write(f'--- exit {done.returncode}\n')
            print(command, done.returncode, done.stderr.splitlines()[-1:] if done.returncode else '')


models()
cases = '../cases/saved_model_cli_'
record(cases + 'show.txt', "What saved_model_cli prints for show and scan.", SHOW)
record(cases + 'run.txt', "What saved_model_cli prints for run.", RUN)
record(cases + 'fail.txt', "Where saved_model_cli fails.", FAIL)
