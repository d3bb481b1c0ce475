"""Makes the small SavedModels of this folder with TensorFlow 2.21: python make.py

mlp        one dense layer with relu, dynamic batch; weights are written out below
counter    two variables that every call changes
vocab      a text file as vocabulary: an asset, a table and an initialiser
v1         TensorFlow 1: reference variables, one of them in three parts, a saver, an init op
"""
import os
import shutil
import tempfile

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
os.environ["CUDA_VISIBLE_DEVICES"] = ""
import numpy as np
import tensorflow as tf

HERE = os.path.dirname(os.path.abspath(__file__))


def folder(name):
    path = os.path.join(HERE, name)
    shutil.rmtree(path, ignore_errors=True)
    return path


class Mlp(tf.Module):
    def __init__(self):
        super().__init__()
        self.w = tf.Variable(np.arange(6, dtype=np.float32).reshape(3, 2) - 2, name="w")
        self.b = tf.Variable(np.array([0.5, -0.5], np.float32), name="b")

    @tf.function(input_signature=[tf.TensorSpec([None, 3], tf.float32, "x")])
    def f(self, x):
        return {"y": tf.nn.relu(tf.matmul(x, self.w) + self.b)}


class Counter(tf.Module):
    def __init__(self):
        super().__init__()
        self.n = tf.Variable(7, dtype=tf.int64, name="n")
        self.sum = tf.Variable([1.0, 2.0], name="sum")

    @tf.function(input_signature=[tf.TensorSpec([2], tf.float32, "x")])
    def f(self, x):
        return {"n": self.n.assign_add(1), "sum": self.sum.assign_add(x)}


class Vocab(tf.Module):
    def __init__(self, path):
        super().__init__()
        self.asset = tf.saved_model.Asset(path)
        init = tf.lookup.TextFileInitializer(
            self.asset, tf.string, tf.lookup.TextFileIndex.WHOLE_LINE,
            tf.int64, tf.lookup.TextFileIndex.LINE_NUMBER)
        self.table = tf.lookup.StaticHashTable(init, -1)

    @tf.function(input_signature=[tf.TensorSpec([None], tf.string, "words")])
    def f(self, words):
        return {"ids": self.table.lookup(words)}


def save(name, module):
    path = folder(name)
    tf.saved_model.save(module, path, signatures=module.f)
    for extra in ["fingerprint.pb"]:
        os.remove(os.path.join(path, extra))


def v1():
    tf1 = tf.compat.v1
    path = folder("v1")
    with tf1.Graph().as_default(), tf1.Session() as session:
        x = tf1.placeholder(tf.float32, [None, 3], "x")
        values = np.arange(12, dtype=np.float32).reshape(6, 2)

        def rows(shape, dtype=None, partition_info=None):
            first = partition_info.var_offset[0]
            return tf.constant(values[first:first + shape[0]])

        parts = tf1.get_variable("w", [6, 2], tf.float32, initializer=rows,
                                 partitioner=tf1.fixed_size_partitioner(3), use_resource=False)
        w = tf.convert_to_tensor(parts)[:3]
        b = tf1.get_variable("b", initializer=np.array([1.0, -1.0], np.float32), use_resource=False)
        y = tf1.nn.xw_plus_b(x, w, b, name="y")
        session.run(tf1.global_variables_initializer())
        builder = tf1.saved_model.Builder(path)
        signature = tf1.saved_model.predict_signature_def({"x": x}, {"y": y})
        builder.add_meta_graph_and_variables(
            session, ["serve"], {"serving_default": signature}, main_op=tf1.tables_initializer())
        builder.save()


save("mlp", Mlp())
save("counter", Counter())
with tempfile.TemporaryDirectory() as scratch:
    words = os.path.join(scratch, "words.txt")
    with open(words, "w") as f:
        f.write("the\ncat\nsat\n")
    save("vocab", Vocab(words))
v1()
