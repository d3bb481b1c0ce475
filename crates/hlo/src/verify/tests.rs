//! Modules broken in one way each.

use tfjit_base::ids::Id;
use tfjit_base::{DType, Shape, Tensor};

use super::*;
use crate::{Binary, BlockId, FuncBuilder, Literal, Op, TensorType, ValueDef, ValueId};

fn f32x(dims: &[i64]) -> Type {
    Type::tensor(DType::F32, dims)
}

/// `main(x, y) = while (x < y) x += y`, with a helper that is called.
fn sound() -> Module {
    let mut b = FuncBuilder::new("main");
    let (x, y) = (b.param(f32x(&[])), b.param(f32x(&[])));
    let cond = b.region(&[f32x(&[])], |b, p| Ok(vec![b.compare(crate::Direction::Lt, p[0], y)?]));
    let body = b.region(&[f32x(&[])], |b, p| Ok(vec![b.binary(Binary::Add, p[0], y)?]));
    let out = b.push(Op::While, &[x], &[cond.unwrap(), body.unwrap()]).unwrap()[0];
    let call = Op::Call { callee: "helper".into() };
    let out = b.push_typed(call, &[out], &[], &[f32x(&[])]).unwrap()[0];
    let main = b.finish(&[out]);
    let mut b = FuncBuilder::new("helper");
    let x = b.param(f32x(&[]));
    let two = b.splat(Tensor::scalar(2.0f32), &Shape::scalar()).unwrap();
    let out = b.binary(Binary::Multiply, x, two).unwrap();
    let mut helper = b.finish(&[out]);
    helper.public = false;
    Module { funcs: vec![main, helper], ..Module::default() }
}

/// What the verifier says of the sound module after `f` broke it.
fn broken(f: impl FnOnce(&mut Module)) -> String {
    let mut module = sound();
    f(&mut module);
    verify(&module).unwrap_err().to_string()
}

/// The sound module's `while`.
const WHILE: usize = 2;

#[test]
fn the_sound_module_passes() {
    verify(&sound()).unwrap();
    verify_at(&sound(), Level::Static).unwrap();
    sound().funcs.iter().for_each(|f| verify_func(f).unwrap());
}

#[test]
fn uses_before_definitions() {
    let text = broken(|m| {
        let entry = m.funcs[0].entry;
        m.funcs[0].blocks[entry].insts.swap(0, 1);
    });
    assert_eq!(text, "INVALID_ARGUMENT: v6 is used where it is not defined yet [at i3 in @main]");
    let text = broken(|m| {
        let inner = m.funcs[0].insts[InstId::new(0)].results[0];
        let entry = m.funcs[0].entry;
        m.funcs[0].blocks[entry].results[0] = inner;
    });
    assert!(text.contains("is used where it is not defined yet, by a terminator"), "{text}");
}

#[test]
fn broken_ids() {
    let text = broken(|m| m.funcs[0].insts[InstId::new(0)].operands[0] = ValueId::new(99));
    assert!(text.contains("i0 takes v99, which does not exist"), "{text}");
    let text = broken(|m| m.funcs[0].entry = BlockId::new(7));
    assert!(text.contains("its body is no block of it"), "{text}");
    let text = broken(|m| {
        let entry = m.funcs[0].entry;
        let inst = m.funcs[0].blocks[entry].insts[0];
        m.funcs[0].blocks[entry].insts.push(inst);
    });
    assert!(text.contains("appears in two places"), "{text}");
    let text = broken(|m| {
        let regions = &mut m.funcs[0].insts[InstId::new(WHILE)].regions;
        regions[1] = regions[0];
    });
    assert!(text.contains("has two parents"), "{text}");
    let text = broken(|m| {
        let entry = m.funcs[0].entry;
        m.funcs[0].insts[InstId::new(WHILE)].regions[0] = entry;
    });
    assert!(text.contains("has two parents"), "{text}");
    let text = broken(|m| {
        m.funcs[0].values[ValueId::new(0)].def =
            ValueDef::Param { block: BlockId::new(1), index: 0 }
    });
    assert!(text.contains("v0 is not parameter 0 of b0"), "{text}");
}

#[test]
fn types_that_do_not_follow() {
    let text = broken(|m| m.funcs[1].values[ValueId::new(2)].ty = f32x(&[3]));
    assert!(text.contains("stablehlo.multiply: result 0 is f32[], not f32[3]"), "{text}");
    let text = broken(|m| m.funcs[0].result_types[0] = f32x(&[3]));
    assert!(text.contains("result 0 is not of the type in its signature [at @main]"), "{text}");
    let text = broken(|m| m.funcs[0].values[ValueId::new(1)].ty = Type::tensor(DType::String, &[]));
    assert!(text.contains("tensor of strings"), "{text}");
    let text = broken(|m| {
        let literal = Literal::dense(Tensor::scalar(2.0f32));
        let literal = literal.with_type(TensorType::new(DType::F64, &[]));
        m.funcs[1].insts[InstId::new(0)].op = Op::Constant(literal);
    });
    assert!(text.contains("data of f32[] is no literal of f64[]"), "{text}");
    let text = broken(|m| m.funcs[0].insts[InstId::new(WHILE)].regions.truncate(1));
    assert!(text.contains("stablehlo.while: 1 regions are not a number it takes"), "{text}");
}

#[test]
fn calls() {
    let text = broken(|m| m.funcs[1].name = "other".into());
    assert!(text.contains("it calls @helper, which is not there [at i3 in @main]"), "{text}");
    let text = broken(|m| m.funcs[1].name = "main".into());
    assert!(text.contains("two functions have this name"), "{text}");
    let text = broken(|m| {
        let helper = &mut m.funcs[1];
        let call = Op::Call { callee: "main".into() };
        let param = helper.params()[0];
        let inst = helper.add_inst(call, &[param, param], &[], vec![f32x(&[])]);
        let entry = helper.entry;
        helper.blocks[entry].insts.push(inst);
    });
    assert_eq!(text, "INVALID_ARGUMENT: it calls @main again [at @helper]");
    let text = broken(|m| {
        let entry = m.funcs[1].entry;
        m.funcs[1].add_param(entry, f32x(&[]));
    });
    assert!(text.contains("1 operands, but @helper has 2"), "{text}");
}

#[test]
fn unknown_extents_are_not_static() {
    let mut b = FuncBuilder::new("main");
    let x = b.param(f32x(&[DYNAMIC]));
    let y = b.unary(crate::Unary::Abs, x).unwrap();
    let module = Module { funcs: vec![b.finish(&[y])], ..Module::default() };
    verify(&module).unwrap();
    let text = verify_at(&module, Level::Static).unwrap_err().to_string();
    assert!(text.contains("stablehlo.abs has an unknown extent"), "{text}");
    assert!(text.contains("a parameter has an unknown extent"), "{text}");
}

#[test]
fn all_problems_are_listed_up_to_a_limit() {
    let text = broken(|m| {
        m.funcs[0].result_types[0] = f32x(&[3]);
        m.funcs[1].values[ValueId::new(2)].ty = f32x(&[3]);
    });
    assert!(text.lines().count() >= 3, "{text}");
    let text = broken(|m| {
        for _ in 0..2 * limits::PROBLEMS_MAX {
            m.funcs.push(Func::new(""));
        }
    });
    assert!(text.ends_with("50 more problems are not listed"), "{text}");
}

#[test]
fn deep_regions_are_an_error() {
    let mut func = Func::new("main");
    let pred = func.add_param(func.entry, Type::tensor(DType::Bool, &[]));
    let mut at = func.entry;
    for _ in 0..2 * limits::REGION_DEPTH_MAX {
        let inner = func.blocks.push(crate::Block::default());
        let other = func.blocks.push(crate::Block::default());
        let inst = func.add_inst(Op::If, &[pred], &[inner, other], Vec::new());
        func.blocks[at].insts.push(inst);
        at = inner;
    }
    let text = verify_func(&func).unwrap_err().to_string();
    assert!(text.contains("regions nest deeper than 128"), "{text}");
}

#[test]
fn deep_calls_are_an_error() {
    let n = 2 * limits::CALL_DEPTH_MAX;
    let func = |i: usize| {
        let mut b = FuncBuilder::new(format!("f{i}"));
        if i + 1 < n {
            b.push_typed(Op::Call { callee: format!("f{}", i + 1) }, &[], &[], &[]).unwrap();
        }
        b.finish(&[])
    };
    let module = Module { funcs: (0..n).map(func).collect(), ..Module::default() };
    let text = verify(&module).unwrap_err().to_string();
    assert!(text.contains("calls nest deeper than 200"), "{text}");
}
