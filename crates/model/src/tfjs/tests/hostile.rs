//! Damaged and malicious models: an error that names the weight, never a crash, a hang or a large
//! allocation.

use super::*;

type Change = fn(&mut Small);

fn weight(small: &mut Small, value: Value) {
    *small.at("/weightsManifest/0/weights/0") = value;
}

/// What is done to the small model, the code that comes of it, and part of the message.
const BROKEN_WEIGHTS: &[(Change, Code, &str)] = &[
    (
        |s| weight(s, json!({"name": "a", "dtype": "int4", "shape": [2]})),
        Code::InvalidArgument,
        "\"int4\" is not a dtype of TF.js weights",
    ),
    (|s| weight(s, json!({"name": "a", "shape": [2]})), Code::InvalidArgument, "has no dtype"),
    (
        |s| weight(s, json!({"name": "a", "dtype": "float32"})),
        Code::InvalidArgument,
        "shape is not an array of integers",
    ),
    (
        |s| weight(s, json!({"name": "a", "dtype": "float32", "shape": [1.5]})),
        Code::InvalidArgument,
        "shape is not an array of integers",
    ),
    (
        |s| weight(s, json!({"name": "a", "dtype": "float32", "shape": [-2]})),
        Code::InvalidArgument,
        "negative extent -2",
    ),
    (
        |s| weight(s, json!({"name": "a", "dtype": "float32", "shape": [1u64 << 40, 1u64 << 40]})),
        Code::ResourceExhausted,
        "more than 1099511627776 elements",
    ),
    (
        |s| weight(s, json!({"name": "a", "dtype": "float32", "shape": [1u64 << 38]})),
        Code::OutOfRange,
        "takes 1099511627776 bytes where its shards have 12 left",
    ),
    (
        |s| weight(s, json!({"name": "a", "dtype": "string", "shape": [1u64 << 38]})),
        Code::OutOfRange,
        "takes 1099511627776 bytes where its shards have 12 left",
    ),
    (
        |s| weight(s, json!({"name": "a", "dtype": "string", "shape": [1]})),
        Code::OutOfRange,
        "takes 1065353216 bytes where its shards have 8 left",
    ),
    (
        |s| weight(s, json!({"name": "a", "dtype": "float32", "shape": [1, 2]})),
        Code::InvalidArgument,
        "the constant has the shape [2], its weight [1,2]",
    ),
    (
        |s| {
            weight(
                s,
                json!({"name": "a", "dtype": "float32", "shape": [2],
            "quantization": {"dtype": "uint8", "scale": "NaN", "min": 0}}),
            )
        },
        Code::InvalidArgument,
        "no finite number scale",
    ),
    (|s| s.shard("w.bin", &[0; 7]), Code::OutOfRange, "8 bytes where its shards have 7 left"),
    (|s| s.shard("w.bin", &[]), Code::OutOfRange, "8 bytes where its shards have 0 left"),
    (|s| fs::remove_file(s.dir.join("w.bin")).unwrap(), Code::NotFound, "w.bin"),
    (
        |s| *s.at("/weightsManifest/0/paths/0") = json!("../w.bin"),
        Code::InvalidArgument,
        "\"../w.bin\" leaves the model's folder",
    ),
    (
        |s| *s.at("/weightsManifest/0/paths/0") = json!("/etc/hostname"),
        Code::InvalidArgument,
        "leaves the model's folder",
    ),
    (|s| *s.at("/weightsManifest/0/paths/0") = json!(""), Code::InvalidArgument, "leaves"),
    (
        |s| *s.at("/weightsManifest/0/paths/0") = json!("x/../w.bin"),
        Code::InvalidArgument,
        "leaves the model's folder",
    ),
    (|s| *s.at("/weightsManifest/0/paths/0") = json!("a\0b"), Code::InvalidArgument, "leaves"),
    (|s| *s.at("/weightsManifest/0/paths/0") = json!(3), Code::InvalidArgument, "not a string"),
    (
        |s| *s.at("/weightsManifest/0/paths") = json!(["w.bin", "w.bin"]),
        Code::InvalidArgument,
        "listed twice",
    ),
];

#[test]
fn broken_weights_are_named() {
    for (change, code, want) in BROKEN_WEIGHTS {
        let mut small = Small::new();
        change(&mut small);
        let e = small.read().expect_err(want);
        assert_eq!((e.code(), e.node()), (*code, Some("a")), "{e}");
        assert!(e.to_string().contains(want), "{want}: {e}");
    }
}

#[test]
fn broken_manifests_are_refused() {
    for (pointer, bad, want) in [
        ("/weightsManifest", json!({}), "weightsManifest is not an array"),
        ("/weightsManifest/0", json!([]), "no array weights"),
        ("/weightsManifest/0/paths", json!("w.bin"), "no array paths"),
        ("/weightsManifest/0/weights", json!(null), "no array weights"),
        ("/weightsManifest/0/weights/1", json!({"dtype": "int32"}), "has no name"),
        ("/weightsManifest/0/weights/1/name", json!("a"), "two different weights have this name"),
        ("/modelTopology/node/0/attr/value", json!({"i": 1}), "value is not a tensor"),
        ("/modelTopology/node/0/attr/dtype", json!({"i": 1}), "dtype is not a type"),
        ("/modelTopology/node/0/attr", json!([]), "modelTopology"),
    ] {
        let mut small = Small::new();
        *small.at(pointer) = bad;
        let e = small.read().expect_err(want).to_string();
        assert!(e.contains(want), "{want}: {e}");
    }
}

#[test]
fn all_bad_weights_are_listed() {
    let mut small = Small::new();
    *small.at("/weightsManifest/0/weights/0/dtype") = json!("x");
    *small.at("/weightsManifest/0/weights/1/shape") = json!("x");
    let e = small.read().unwrap_err();
    assert_eq!((e.node(), e.others().len()), (Some("a"), 1));
    assert_eq!(e.others()[0].node(), Some("b"));
}

#[test]
fn deep_json_is_refused() {
    let deep = format!("{{\"modelTopology\": {}", "[".repeat(1 << 20));
    assert!(parse(Path::new(""), deep.as_bytes()).unwrap_err().message().contains("not JSON"));
    let nested = "{\"func\":{\"attr\":{\"x\":".repeat(40);
    let text = format!(
        "{{\"modelTopology\":{{\"node\":[{{\"attr\":{{\"x\":{nested}{{}}{}",
        "}}}".repeat(40) + "}}]}}"
    );
    let e = parse(Path::new(""), text.as_bytes()).unwrap_err();
    assert!(
        e.message().contains("cannot be decoded") && e.to_string().contains("recursion"),
        "{e}"
    );
}

/// A xorshift generator: the same numbers every time.
struct Seeded(u64);

impl Seeded {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % n as u64) as usize
    }
}

#[test]
fn mutants_never_panic() {
    let good = fs::read(testdata("types/model.json")).unwrap();
    let base = testdata("types");
    let mut seeded = Seeded(0x2545_f491_4f6c_dd1d);
    let mut accepted = 0;
    for _ in 0..800 {
        let mut bad = good.clone();
        for _ in 0..=seeded.below(3) {
            let at = seeded.below(bad.len());
            match seeded.below(5) {
                0 => bad.truncate(at),
                1 => bad[at] = b"0123456789-\"{}[],:eE."[seeded.below(21)],
                2 => bad[at] ^= 1 << seeded.below(8),
                3 => bad.drain(at..bad.len().min(at + seeded.below(30))).for_each(drop),
                _ => {
                    let from = seeded.below(good.len() - 30);
                    let part = good[from..from + seeded.below(30)].to_vec();
                    bad.splice(at..at, part);
                }
            }
            if bad.is_empty() {
                break;
            }
        }
        accepted += usize::from(parse(&base, &bad).is_ok());
    }
    assert!(accepted > 20, "some mutations reach the end: {accepted}");
}

/// Replaces one value anywhere in the tree by something else.
fn mutate(value: &mut Value, seeded: &mut Seeded) {
    let down = seeded.below(5) > 0;
    match value {
        Value::Object(members) if down && !members.is_empty() => {
            let nth = seeded.below(members.len());
            mutate(members.values_mut().nth(nth).unwrap(), seeded);
        }
        Value::Array(items) if down && !items.is_empty() => {
            let nth = seeded.below(items.len());
            mutate(&mut items[nth], seeded);
        }
        Value::Array(items) if seeded.below(2) == 0 => {
            items.pop();
        }
        other => {
            let values = [
                json!(null),
                json!(-1),
                json!(1u64 << 62),
                json!("x"),
                json!([]),
                json!({}),
                json!(1e308),
                json!(true),
                json!("DT_STRING"),
                json!([0, 0]),
                json!([2, 3, 4]),
                json!({"i": "7"}),
                json!("uint8"),
                json!(0),
            ];
            *other = values[seeded.below(values.len())].clone();
        }
    }
}

#[test]
fn sound_json_of_broken_models_never_panics() {
    let good = fs::read(testdata("types/model.json")).unwrap();
    let good: Value = serde_json::from_slice(&good).unwrap();
    let base = testdata("types");
    let mut seeded = Seeded(0x9e37_79b9_7f4a_7c15);
    let (mut accepted, mut refused) = (0, 0);
    for _ in 0..800 {
        let mut bad = good.clone();
        for key in ["modelTopology", "weightsManifest"] {
            if seeded.below(3) > 0 {
                mutate(&mut bad[key], &mut seeded);
            }
        }
        match parse(&base, bad.to_string().as_bytes()) {
            Ok(_) => accepted += 1,
            Err(_) => refused += 1,
        }
    }
    assert!(accepted > 50 && refused > 500, "{accepted} accepted, {refused} refused");
}
