//! The text form: texts that print as themselves, texts that print as others, texts that are
//! refused, random modules, and texts with random damage.

use std::path::{Path, PathBuf};

use tfjit_base::Code;
use tfjit_hlo::{
    Binary, Func, InstId, Module, OTHER_NAMES, PrintOptions, Unary, fingerprint, parse, parse_file,
    print_generic, verify,
};

fn texts() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/text")
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// The pieces of a file, without the comment it begins with.
fn pieces(name: &str) -> Vec<String> {
    let text = read(&texts().join(name));
    let body = text.split_once("\n\n").expect("a comment, then an empty line").1;
    body.split("\n// -----\n\n").map(str::to_owned).collect()
}

/// All `.mlir` programs made by JAX.
fn jax_programs() -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/jax");
    let mut paths: Vec<PathBuf> = std::fs::read_dir(&folder)
        .expect("the folder of programs")
        .map(|entry| entry.expect("a readable entry").path())
        .filter(|path| path.extension().is_some_and(|e| e == "mlir"))
        .collect();
    paths.sort();
    assert!(paths.len() > 40, "programs are missing");
    paths.into_iter().map(|p| (p.display().to_string(), read(&p))).collect()
}

/// Equal in everything, ids and names apart.
fn assert_same(a: &Module, b: &Module, what: &str) {
    assert_eq!((&a.name, &a.attrs), (&b.name, &b.attrs), "{what}");
    assert_eq!(a.funcs.len(), b.funcs.len(), "{what}");
    for (f, g) in a.funcs.iter().zip(&b.funcs) {
        assert_eq!((&f.name, f.public), (&g.name, g.public), "{what}");
        assert_eq!((&f.result_types, &f.attrs), (&g.result_types, &g.attrs), "{what}");
        assert_eq!((&f.param_attrs, &f.result_attrs), (&g.param_attrs, &g.result_attrs), "{what}");
        let (walk_f, walk_g) = (in_order(f), in_order(g));
        assert_eq!(walk_f.len(), walk_g.len(), "{what} @{}", f.name);
        for (&i, &j) in walk_f.iter().zip(&walk_g) {
            let (x, y) = (&f.insts[i], &g.insts[j]);
            assert_eq!(x.op, y.op, "{what} @{}", f.name);
            assert_eq!((&x.attrs, &x.source), (&y.attrs, &y.source), "{what} @{}", f.name);
        }
    }
    assert_eq!(fingerprint(a), fingerprint(b), "{what}");
}

/// Instructions in the order of the text.
fn in_order(func: &Func) -> Vec<InstId> {
    fn visit(func: &Func, block: tfjit_hlo::BlockId, order: &mut Vec<InstId>) {
        for &inst in &func.blocks[block].insts {
            order.push(inst);
            for &region in &func.insts[inst].regions {
                visit(func, region, order);
            }
        }
    }
    let mut order = Vec::new();
    visit(func, func.entry, &mut order);
    order
}

/// `parse(print(m)) == m` in both forms, and what is printed twice is equal.
fn assert_round_trip(module: &Module, what: &str) {
    let texts = [(module.to_string(), false), (print_generic(module), true)];
    for (text, generic) in texts {
        let again = parse(&text).unwrap_or_else(|e| panic!("{what}\n{e}\n{text}"));
        assert_same(module, &again, what);
        let options = PrintOptions { generic, ..PrintOptions::default() };
        assert_eq!(again.text(&options), text, "{what}");
    }
}

#[test]
fn canonical_texts_print_as_themselves() {
    let (pretty, generic) = (pieces("canonical.mlir"), pieces("generic.mlir"));
    assert_eq!(pretty.len(), generic.len());
    for (pretty, generic) in pretty.iter().zip(&generic) {
        let module = parse(pretty).unwrap();
        verify(&module).unwrap();
        assert_eq!(&module.to_string(), pretty);
        assert_eq!(&print_generic(&module), generic);
        assert_same(&module, &parse(generic).unwrap(), pretty);
    }
}

#[test]
fn canonical_texts_hold_every_operation() {
    let text = pieces("generic.mlir").concat();
    let unary = Unary::ALL.iter().map(|u| u.text());
    let binary = Binary::ALL.iter().map(|b| b.text());
    for name in unary.chain(binary).chain(OTHER_NAMES.iter().copied()) {
        assert!(text.contains(&format!("\"{name}\"(")), "{name}");
    }
}

#[test]
fn other_forms_print_in_the_canonical_one() {
    for piece in pieces("forms.mlir") {
        let (from, to) = piece.split_once("// ==>\n").expect("text // ==> text");
        let module = parse(from).unwrap_or_else(|e| panic!("{e}"));
        verify(&module).unwrap_or_else(|e| panic!("{e}\n{from}"));
        assert_eq!(module.to_string(), to, "of\n{from}");
        assert_round_trip(&module, from);
    }
}

#[test]
fn wrong_texts_are_refused_where_they_are_wrong() {
    for piece in pieces("errors.mlir") {
        let (text, want) = piece.split_once("// ==>\n").expect("text // ==> error");
        let error = parse(text).expect_err(text);
        assert!(matches!(error.code(), Code::InvalidArgument | Code::Unimplemented), "{error}");
        assert_eq!(format!("{error}\n"), want);
    }
}

#[test]
fn programs_of_jax_round_trip() {
    for (path, text) in jax_programs() {
        let module = parse(&text).unwrap_or_else(|e| panic!("{path}: {e}"));
        verify(&module).unwrap_or_else(|e| panic!("{path}: {e}"));
        assert_round_trip(&module, &path);
    }
}

#[test]
fn random_modules_round_trip() {
    for seed in 0..150 {
        let module = tfjit_hlo::random_module(seed, 30);
        assert_round_trip(&module, &format!("seed {seed}"));
    }
}

#[test]
fn files_split_into_modules() {
    let text = "// nothing here\n\n// -----\nfunc.func @a() {\n  return\n}\n// // -----\n\
        module @b {\n}\n// -----\n";
    let modules = parse_file(text).unwrap();
    assert_eq!(modules.len(), 2);
    assert_eq!((modules[0].funcs[0].name.as_str(), modules[1].name.as_str()), ("a", "b"));
    let error = parse_file("// -----\nmodule {\n  x\n}").unwrap_err();
    assert!(error.message().starts_with("3:3: "), "{error}");
}

#[test]
fn options_leave_out_what_they_say() {
    let text = "func.func @main(%x: tensor<200xf32>) -> tensor<200xf32> {\n  \
        %w = stablehlo.constant dense<\"0x"
        .to_owned()
        + &"0000803F".repeat(199)
        + "00000040\"> : tensor<200xf32>\n  \
        %y = stablehlo.add %x, %w : tensor<200xf32> loc(\"sum\")\n  \
        return %y : tensor<200xf32>\n}\n";
    let module = parse(&text).unwrap();
    assert_round_trip(&module, "long constant");
    let options = PrintOptions { elide_above: 100, names: false, locations: false, generic: false };
    assert_eq!(
        module.text(&options),
        "module {\n  func.func @main(%arg0: tensor<200xf32>) -> tensor<200xf32> {\n    \
         %0 = stablehlo.constant dense_resource<__elided__> : tensor<200xf32>\n    \
         %1 = stablehlo.add %arg0, %0 : tensor<200xf32>\n    \
         return %1 : tensor<200xf32>\n  }\n}\n"
    );
}

#[test]
fn lists_of_a_wrong_length_stay_wrong() {
    // No verifier would take it; printing must not make it right.
    let text = "func.func @main(%x: tensor<1x4x1xf32>, %k: tensor<2x1x1xf32>) {
      %y = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f],
        window = {stride = [1, 1], pad = [], reverse = []} :
        (tensor<1x4x1xf32>, tensor<2x1x1xf32>) -> tensor<1x3x1xf32>
      return
    }";
    let module = parse(text).unwrap();
    assert!(verify(&module).is_err());
    assert_round_trip(&module, text);
}

/// A generator of numbers that are the same everywhere.
struct Rng(u64);

impl Rng {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963);
        (self.0 >> 33) as usize % end.max(1)
    }
}

/// Flips, deletes, doubles and moves pieces of the text.
fn damage(text: &str, rng: &mut Rng) -> String {
    const INSERTS: &[&str] = &[
        "(",
        ")",
        "[",
        "]",
        "{",
        "}",
        "<",
        ">",
        "\"",
        "%",
        "#",
        "@",
        "^",
        "!",
        "-",
        "->",
        "x",
        "?",
        ":",
        ",",
        "=",
        "0",
        "-1",
        "99999999999999999999",
        "0x",
        "1e",
        "\\",
        "é",
        "dense<",
        "loc(",
        "tensor<",
        "// ",
        "\n",
        "%0",
        "({",
        "}) {",
    ];
    let mut bytes = text.as_bytes().to_vec();
    for _ in 0..=rng.below(4) {
        let at = rng.below(bytes.len());
        match rng.below(4) {
            0 => {
                let end = (at + 1 + rng.below(8)).min(bytes.len());
                bytes.drain(at..end);
            }
            1 => bytes.splice(at..at, INSERTS[rng.below(INSERTS.len())].bytes()).for_each(drop),
            2 => {
                let end = (at + 1 + rng.below(40)).min(bytes.len());
                let piece = bytes[at..end].to_vec();
                let to = rng.below(bytes.len());
                bytes.splice(to..to, piece).for_each(drop);
            }
            _ => bytes[at] ^= 1 << rng.below(7),
        }
        if bytes.is_empty() {
            bytes.push(b'm');
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[test]
fn damaged_texts_are_errors_or_modules_but_never_panics() {
    let mut sources = pieces("canonical.mlir");
    sources.extend(pieces("generic.mlir"));
    sources.extend(pieces("forms.mlir"));
    sources.extend(jax_programs().into_iter().map(|(_, text)| text).filter(|t| t.len() < 4000));
    let mut rng = Rng(42);
    for round in 0..6000 {
        let text = damage(&sources[round % sources.len()], &mut rng);
        if let Ok(modules) = parse_file(&text) {
            for module in &modules {
                assert_round_trip(module, &text);
            }
        }
    }
}

#[test]
fn hostile_texts_end() {
    let deep = |open: &str, n: usize| open.repeat(n);
    let region = "\"stablehlo.if\"(%p) ({\n".repeat(10_000);
    for text in [
        deep("{", 100_000),
        format!("module attributes {{a = {}", deep("[", 100_000)),
        format!("module attributes {{a = {}", deep("{a = ", 100_000)),
        format!("func.func @f(%x: {}", deep("tuple<", 100_000)),
        format!("func.func @f(%p: tensor<i1>) {{ {region}"),
        format!("module {{}} loc({}", deep("callsite(", 100_000)),
        format!("module {{}} loc({}", deep("\"a\"(", 100_000)),
        format!("func.func @f() {{ %c = stablehlo.constant dense<{}", deep("[", 100_000)),
        format!("func.func @f(%x: tensor<{}f32>)", deep("1x", 100_000)),
        "func.func @f() { %0:99999999999 = \"stablehlo.tuple\"() : () -> tuple<> }".to_owned(),
        "func.func @f() { \"stablehlo.all_reduce\"() {replica_groups = dense<0> : \
            tensor<1000000x1000000xi64>} : () -> () }"
            .to_owned(),
    ] {
        assert!(parse(&text).is_err());
    }
}
