//! Bytes that are anything: whatever is done to a file, reading gives a model or an error.

use tfjit_model::{ReadOptions, read};
use tfjit_proto::Message;
use tfjit_proto::tensorflow as pb;

use crate::fixtures::{Folder, path, saved_model};

/// A small generator with a fixed seed (splitmix64), so that a failure can be repeated.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() % n.max(1) as u64) as usize
    }
}

/// Flips, overwrites, inserts, removes or cuts.
fn damage(bytes: &mut Vec<u8>, random: &mut Random) {
    for _ in 0..=random.below(3) {
        if bytes.is_empty() {
            return;
        }
        let at = random.below(bytes.len());
        match random.below(6) {
            0 => bytes[at] ^= 1 << random.below(8),
            1 => bytes[at] = random.next() as u8,
            2 => bytes.insert(at, random.next() as u8),
            3 => drop(bytes.remove(at)),
            4 => {
                let end = (at + random.below(16)).min(bytes.len());
                bytes.drain(at..end);
            }
            _ if random.below(8) == 0 => bytes.truncate(at),
            _ => bytes[at] = [0, 0x7f, 0x80, 0xff][random.below(4)],
        }
    }
}

/// Reads a damaged file and does with the model what a user would.
fn survives(folder: &Folder, file: &str, bytes: &[u8]) -> bool {
    folder.write(file, bytes);
    let Ok(model) = read(&folder.0.join(file), &ReadOptions::default()) else { return false };
    for key in model.signatures.keys() {
        if let Ok(f) = model.signature_function(key) {
            f.graph.topological_order().unwrap();
        }
    }
    let _ = model.init_function();
    true
}

fn damaged(name: &str, rounds: usize, seed: u64) {
    let folder = Folder::copy_of(name);
    let whole = std::fs::read(path(name).join("saved_model.pb")).unwrap();
    let mut random = Random(seed);
    let mut read = 0;
    for _ in 0..rounds {
        let mut bytes = whole.clone();
        damage(&mut bytes, &mut random);
        read += usize::from(survives(&folder, "saved_model.pb", &bytes));
    }
    // Damage in names and texts leaves some files sound; most must be refused.
    assert!(read < rounds * 3 / 4, "{read} of {rounds} were read");
}

#[test]
fn damaged_models_never_panic() {
    damaged("mlp", 1500, 1);
    damaged("vocab", 700, 2);
    damaged("v1", 700, 3);
}

#[test]
fn every_cut_is_refused_or_read() {
    let folder = Folder::copy_of("counter");
    let whole = std::fs::read(path("counter").join("saved_model.pb")).unwrap();
    for length in (0..whole.len()).step_by(13) {
        assert!(!survives(&folder, "saved_model.pb", &whole[..length]), "cut at {length}");
    }
}

#[test]
fn damaged_text_never_panics() {
    let folder = Folder::new();
    let text = "node { name: 'c' op: 'Const' attr { key: 'dtype' value { type: DT_FLOAT } }
        attr { key: 'value' value { tensor { dtype: DT_FLOAT tensor_shape { dim { size: 2 } }
        float_val: [1.5, -inf] } } } }
        node { name: 'y' op: 'Identity' input: 'c' attr { key: 'T' value { type: DT_FLOAT } } }
        versions { producer: 1000 }";
    assert!(survives(&folder, "g.pbtxt", text.as_bytes()));
    let mut random = Random(4);
    for _ in 0..3000 {
        let mut bytes = text.as_bytes().to_vec();
        damage(&mut bytes, &mut random);
        survives(&folder, "g.pbtxt", &bytes);
    }
}

#[test]
fn damaged_messages_never_panic() {
    // Damage behind the wire format: numbers and names of a decoded message.
    let folder = Folder::copy_of("mlp");
    let mut random = Random(5);
    for _ in 0..400 {
        let mut m = saved_model("mlp");
        let graph = m.meta_graphs[0].graph_def.as_mut().unwrap();
        let functions = graph.library.as_mut().unwrap().function.iter_mut();
        let mut nodes: Vec<&mut pb::NodeDef> =
            functions.flat_map(|f| f.node_def.iter_mut()).chain(graph.node.iter_mut()).collect();
        let n = nodes.len();
        let (from, to) = (random.below(n), random.below(n));
        let donor = nodes[from].clone();
        let node = &mut nodes[to];
        match random.below(5) {
            0 => node.op = donor.op,
            1 => node.attr = donor.attr,
            2 => node.input = donor.input,
            3 => node.name = donor.name,
            _ => node.attr.extend(donor.attr),
        }
        survives(&folder, "saved_model.pb", &m.encode_to_vec());
    }
}
