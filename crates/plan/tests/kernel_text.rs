//! Text form and verifier of loop kernels.

#![allow(clippy::unwrap_used, reason = "what does not hold here is a failed test")]

use tfjit_plan::kernel::{Kernel, When};

const SOFTMAX: &str = "\
kernel @softmax over columns {
  s0: in f32 unit
  s1: out f32 unit
  s2: out bf16 row
  each:
    v0: f32 = load s0
    v1: f32 = reduce.max v0
  each:
    v2: f32 = load s0
    v3: f32 = sub v2, v1
    v4: f32 = exp v3
    v5: f32 = reduce.sum v4
    store s1, v4
  once:
    v7: f32 = const 1.0
    v8: f32 = div v7, v5
    v9: f32 = narrow.bf16 v8
    store s2, v9
  each:
    v11: f32 = load s1
    v12: f32 = mul v11, v8
    store s1, v12
}
";

const ALL: &str = "\
kernel @\"odd \\\"name\\\" over columns {\\n\" over rows {
  s0: in u8 strided
  s1: in bool row
  s2: out f64 unit
  each:
    v0: u32 = load s0
    v1: pred = load s1
    v2: i32 = column
    v3: i32 = const -7
    v4: u32 = bitcast v3
    v5: u32 = shr_logical v0, v4
    v6: u32 = select v1, v0, v5
    v7: pred = compare.ge v6, v0
    v8: f64 = convert v6
    v9: f64 = const 0x7ff8000000000001
    v10: f64 = fma v8, v9, v8
    v11: f64 = const -0.0
    v12: pred = const true
    v13: pred = and v7, v12
    v14: f64 = reduce.min v10
    v15: pred = reduce.or v13
    v16: i64 = const -9223372036854775808
    v17: f32 = const 0x17f800000
    v18: f32 = const inf
    v19: f32 = const 1e-45
  once:
    v21: f64 = convert v15
    v22: f64 = min_fast v21, v14
    store s2, v22
  unused:
    v20: f64 = atan2 v8, v8
}
";

#[test]
fn text_is_printed_as_it_was_parsed() {
    for text in [SOFTMAX, ALL] {
        let kernel = Kernel::parse(text).unwrap();
        kernel.verify().unwrap();
        assert_eq!(kernel.to_string(), text);
        assert_eq!(Kernel::parse(&kernel.to_string()).unwrap(), kernel);
    }
    let both = Kernel::parse_all(&format!("// two\n{SOFTMAX}\n{ALL}")).unwrap();
    assert_eq!(both.len(), 2);
    assert_eq!(both[1].to_string(), ALL);
}

#[test]
fn fingerprints_see_no_names_and_numbers_but_all_else() {
    let a = Kernel::parse(SOFTMAX).unwrap();
    let renamed = Kernel::parse(&SOFTMAX.replace("@softmax", "@other")).unwrap();
    assert_eq!(a.fingerprint(), renamed.fingerprint());
    let moved = SOFTMAX.replace("v7", "v77").replace("v8", "v7").replace("v77", "v8");
    let moved = Kernel::parse(&moved).unwrap();
    assert_ne!(a, moved);
    assert_eq!(a.fingerprint(), moved.fingerprint());
    for (from, to) in [("const 1.0", "const 2.0"), ("s0: in f32 unit", "s0: in f32 row")] {
        let other = Kernel::parse(&SOFTMAX.replace(from, to)).unwrap();
        assert_ne!(a.fingerprint(), other.fingerprint(), "{to}");
    }
    let mut shorter = a.clone();
    shorter.phases.pop();
    shorter.begin(When::Once);
    assert_ne!(a.fingerprint(), shorter.fingerprint());
}

#[test]
fn broken_text_is_an_error_with_its_line() {
    for (from, to) in [
        ("over columns", "over planes"),
        ("s0: in f32 unit", "s1: in f32 unit"),
        ("s0: in f32 unit", "s0: in c64 unit"),
        ("v3: f32 = sub v2, v1", "v3: f32 = subtract v2, v1"),
        ("v3: f32 = sub v2, v1", "v3: f32 = sub v2, s1"),
        ("v3: f32 = sub v2, v1", "v3: f32 = reduce.mean v2"),
        ("v3: f32 = sub v2, v1", "v3: f33 = sub v2, v1"),
        ("const 1.0", "const"),
        ("v3: f32 = sub v2, v1", "v33: f32 = sub v2, v1"),
        ("v3: f32 = sub v2, v1", "v99999999999: f32 = sub v2, v1"),
    ] {
        let text = SOFTMAX.replace(from, to);
        assert_ne!(text, SOFTMAX);
        let error = Kernel::parse(&text).unwrap_err();
        assert!(error.message().starts_with("line "), "{error}");
    }
    assert!(Kernel::parse("").is_err());
    assert!(Kernel::parse(SOFTMAX.trim_end_matches("}\n")).is_err());
}

/// The verifier's complaint about a kernel of the given streams and phases.
fn complaint(axis: &str, body: &str) -> String {
    let text = format!("kernel @k over {axis} {{\n{body}\n}}");
    Kernel::parse(&text).unwrap().verify().map_or_else(|e| e.to_string(), |()| "fine".into())
}

#[test]
fn rules_of_scopes_types_and_memory() {
    let streams = "s0: in f32 unit\ns1: out f32 unit\ns2: out f32 row\ns3: in f32 row\n";
    for (axis, body, why) in [
        ("columns", "each:\nv0: f32 = load s0\nstore s1, v0", "fine"),
        ("columns", "each:\nv0: f32 = neg v1\nv1: f32 = load s0", "before it is defined"),
        ("columns", "each:\nv0: f32 = load s0\neach:\nstore s1, v0", "scope"),
        ("columns", "each:\nv0: f32 = load s0\nonce:\nstore s2, v0", "scope"),
        ("columns", "each:\nv0: f32 = load s0\nv1: f32 = reduce.sum v0\nstore s1, v1", "scope"),
        ("columns", "once:\nv0: f32 = load s3\nstore s2, v0\neach:\nstore s1, v0", "fine"),
        ("columns", "once:\nv0: f32 = load s0", "row access"),
        ("columns", "once:\nv0: i32 = column", "no column"),
        ("columns", "once:\nv0: f32 = load s3\nstore s1, v0", "row access"),
        ("columns", "once:\nv0: f32 = load s3\nv1: f32 = reduce.sum v0", "outside of an each"),
        ("columns", "each:\nv0: f32 = load s0\nstore s2, v0", "row access output"),
        ("columns", "each:\nv0: f32 = load s1", "before it is stored"),
        ("columns", "each:\nv0: f32 = load s0\nstore s1, v0\nv2: f32 = load s1", "fine"),
        ("columns", "each:\nv0: f32 = load s0\nstore s0, v0", "store to an input"),
        ("columns", "each:\nv0: f32 = load s9", "no stream"),
        ("columns", "each:\nv0: i32 = load s0", "another type"),
        ("columns", "each:\nv0: f32 = load s0\nv1: i32 = neg v0", "differ in type"),
        ("columns", "each:\nv0: f32 = load s0\nv1: f32 = and v0, v0", "of this type"),
        ("columns", "each:\nv0: f32 = load s0\nv1: f32 = add v0", "number of operands"),
        ("columns", "each:\nv0: f32 = load s0\nv1: f64 = bitcast v0", "another width"),
        ("columns", "each:\nv0: f32 = load s0\nv1: f32 = narrow.f32 v0", "of this type"),
        ("columns", "each:\nv0: f32 = load s0\nv1: f32 = select v0, v0, v0", "by a pred"),
        ("columns", "each:\nv0: f32 = load s0\nv1: pred = reduce.or v0", "differ in type"),
        ("rows", "each:\nv0: f32 = load s0", "over rows has row access"),
    ] {
        let got = complaint(axis, &format!("{streams}{body}"));
        assert!(got.contains(why), "{body}\ngave: {got}\nnot: {why}");
    }
    let streams = "s0: in f32 unit\ns1: out f32 unit\ns2: out f32 strided\n";
    for (body, why) in [
        ("each:\nv0: f32 = load s0\nv1: f32 = reduce.sum v0\nonce:\nstore s1, v1", "fine"),
        ("each:\nv0: f32 = load s0\nv1: f32 = reduce.sum v0\nonce:\nstore s2, v1", "unit access"),
        ("each:\nv0: f32 = load s0\nstore s1, v0\nonce:\nv2: f32 = load s1", "before it is"),
        ("once:\nv0: i32 = column\nv1: f32 = convert v0\nstore s1, v1", "fine"),
    ] {
        let got = complaint("rows", &format!("{streams}{body}"));
        assert!(got.contains(why), "{body}\ngave: {got}\nnot: {why}");
    }
}

#[test]
fn an_instruction_is_in_one_place() {
    let mut kernel = Kernel::parse(SOFTMAX).unwrap();
    let first = kernel.phases[0].insts[0];
    kernel.phases[1].insts.push(first);
    assert!(kernel.verify().unwrap_err().to_string().contains("more than one place"));
}
