//! Edits, each checked by the verifier.

use tfjit_base::{DType, Tensor};

use super::*;
use crate::{Binary, FuncBuilder, Unary, verify_func};

fn scalar() -> Type {
    Type::tensor(DType::F32, &[])
}

fn names(func: &Func, block: BlockId) -> Vec<&'static str> {
    let name = |&i: &InstId| func.insts[i].op.row().name.split_once('.').unwrap().1;
    func.blocks[block].insts.iter().map(name).collect()
}

/// `abs(x) + negate(x)`.
fn small() -> (Func, ValueId, [ValueId; 3]) {
    let mut b = FuncBuilder::new("main");
    let x = b.param(scalar());
    let (p, q) = (b.unary(Unary::Abs, x).unwrap(), b.unary(Unary::Negate, x).unwrap());
    let y = b.binary(Binary::Add, p, q).unwrap();
    (b.finish(&[y]), x, [p, q, y])
}

#[test]
fn replacing_and_erasing() {
    let (mut f, x, [p, q, y]) = small();
    let (abs, add) = (f.def(p).unwrap().0, f.def(y).unwrap().0);
    let fuel = Fuel::unlimited();
    let mut patch = Patch::new(&mut f, &fuel);
    assert!(patch.erase(abs).is_err());
    patch.replace(abs, &[x]).unwrap();
    assert_eq!((patch.use_count(x), patch.use_count(p)), (2, 0));
    patch.set_operand(add, 1, x);
    assert_eq!(patch.use_count(q), 0);
    assert_eq!(patch.uses(x).len(), 3);
    patch.erase(patch.func().def(q).unwrap().0).unwrap();
    assert_eq!(patch.block_of(abs), None);
    drop(patch);
    assert_eq!(names(&f, f.entry), ["add"]);
    verify_func(&f).unwrap();
}

#[test]
fn inserting_keeps_order_however_it_nests() {
    let (mut f, x, [p, _, y]) = small();
    let (abs, add) = (f.def(p).unwrap().0, f.def(y).unwrap().0);
    let fuel = Fuel::unlimited();
    let mut patch = Patch::new(&mut f, &fuel);
    let a = patch.insert_before(add, Op::Unary(Unary::Sine), &[x], None).unwrap()[0];
    let sine = patch.func().def(a).unwrap().0;
    patch.insert_before(add, Op::Unary(Unary::Tanh), &[a], None).unwrap();
    patch.insert_before(sine, Op::Unary(Unary::Ceil), &[x], None).unwrap();
    patch.insert_before(abs, Op::Unary(Unary::Floor), &[x], None).unwrap();
    patch.replace(abs, &[x]).unwrap();
    patch.set_operand(add, 0, a);
    drop(patch);
    assert_eq!(names(&f, f.entry), ["floor", "negate", "ceil", "sine", "tanh", "add"]);
    verify_func(&f).unwrap();
}

#[test]
fn types_must_agree() {
    let (mut f, x, [_, _, y]) = small();
    let add = f.def(y).unwrap().0;
    let fuel = Fuel::unlimited();
    let mut patch = Patch::new(&mut f, &fuel);
    let wide = [Type::tensor(DType::F64, &[])];
    let w = patch.insert_before(add, Op::Convert, &[x], Some(&wide)).unwrap()[0];
    assert!(patch.replace_all_uses(x, w).is_err());
    assert!(patch.set_op(add, Op::Binary(Binary::And)).is_err());
    patch.set_op(add, Op::Binary(Binary::Multiply)).unwrap();
    assert!(patch.insert_before(add, Op::Binary(Binary::Add), &[x, w], None).is_err());
    drop(patch);
    assert_eq!(names(&f, f.entry), ["abs", "negate", "convert", "multiply"]);
    verify_func(&f).unwrap();
}

#[test]
fn a_region_moves_out() {
    let mut b = FuncBuilder::new("main");
    let (pred, x) = (b.param(Type::tensor(DType::Bool, &[])), b.param(scalar()));
    let yes = b.region(&[], |b, _| {
        let inner = b.region(&[], |b, _| Ok(vec![b.unary(Unary::Sine, x)?]))?;
        let other = b.region(&[], |_, _| Ok(vec![x]))?;
        let y = b.push(Op::If, &[pred], &[inner, other])?[0];
        Ok(vec![b.unary(Unary::Abs, y)?])
    });
    let no = b.region(&[], |b, _| Ok(vec![b.unary(Unary::Negate, x)?]));
    let y = b.push(Op::If, &[pred], &[yes.clone().unwrap(), no.unwrap()]).unwrap()[0];
    let mut f = b.finish(&[y]);
    let outer = f.def(y).unwrap().0;
    let fuel = Fuel::unlimited();
    let mut patch = Patch::new(&mut f, &fuel);
    let values = patch.inline_region(outer, yes.unwrap(), &[]).unwrap();
    patch.replace(outer, &values).unwrap();
    drop(patch);
    assert_eq!(names(&f, f.entry), ["if", "abs"]);
    assert_eq!(f.uses().count(x), 2);
    verify_func(&f).unwrap();
}

#[test]
fn a_function_is_copied_in() {
    let mut b = FuncBuilder::new("helper");
    let x = b.param(scalar());
    let bound = b.constant(Tensor::scalar(3.0f32)).unwrap();
    let cond =
        b.region(&[scalar()], |b, p| Ok(vec![b.compare(crate::Direction::Lt, p[0], bound)?]));
    let body = b.region(&[scalar()], |b, p| Ok(vec![b.binary(Binary::Add, p[0], x)?]));
    let out = b.push(Op::While, &[x], &[cond.unwrap(), body.unwrap()]).unwrap()[0];
    let helper = b.finish(&[out, x]);
    let (mut f, x, [p, ..]) = small();
    let abs = f.def(p).unwrap().0;
    let fuel = Fuel::unlimited();
    let mut patch = Patch::new(&mut f, &fuel);
    let values = patch.inline_func(abs, &helper, &[x]).unwrap();
    assert_eq!(values[1], x);
    patch.set_operand(abs, 0, values[0]);
    assert!(patch.inline_func(abs, &helper, &[]).is_err());
    drop(patch);
    assert_eq!(names(&f, f.entry), ["constant", "while", "abs", "negate", "add"]);
    verify_func(&f).unwrap();
}

#[test]
fn erasing_takes_regions_along() {
    let mut b = FuncBuilder::new("main");
    let (pred, x) = (b.param(Type::tensor(DType::Bool, &[])), b.param(scalar()));
    let yes = b.region(&[], |b, _| Ok(vec![b.unary(Unary::Sine, x)?])).unwrap();
    let no = b.region(&[], |_, _| Ok(vec![x])).unwrap();
    let y = b.push(Op::If, &[pred], &[yes, no]).unwrap()[0];
    let mut f = b.finish(&[x]);
    let branch = f.def(y).unwrap().0;
    let fuel = Fuel::unlimited();
    let mut patch = Patch::new(&mut f, &fuel);
    assert_eq!(patch.use_count(x), 3);
    patch.erase(branch).unwrap();
    assert_eq!((patch.use_count(x), patch.use_count(pred)), (1, 0));
    drop(patch);
    assert!(names(&f, f.entry).is_empty());
    verify_func(&f).unwrap();
}

#[test]
fn regions_are_built() {
    let (mut f, x, [p, ..]) = small();
    let abs = f.def(p).unwrap().0;
    let fuel = Fuel::unlimited();
    let mut patch = Patch::new(&mut f, &fuel);
    let pred = patch.insert_before(abs, Op::Unary(Unary::IsFinite), &[x], None).unwrap()[0];
    let (yes, no) = (patch.new_block(&[]), patch.new_block(&[]));
    let y = patch.append(yes, Op::Unary(Unary::Sine), &[x], None).unwrap();
    patch.set_returns(yes, &y);
    patch.set_returns(no, &[x]);
    let y = patch.insert_with_regions(abs, Op::If, &[pred], &[yes, no]).unwrap()[0];
    patch.set_operand(abs, 0, y);
    drop(patch);
    assert_eq!(names(&f, f.entry), ["is_finite", "if", "abs", "negate", "add"]);
    verify_func(&f).unwrap();
}

#[test]
fn fuel_ends() {
    let fuel = Fuel::new(2);
    let (mut f, ..) = small();
    let mut patch = Patch::new(&mut f, &fuel);
    assert!(patch.begin("a") && patch.begin("b") && !patch.begin("a"));
    drop(patch);
    assert_eq!((fuel.left(), fuel.total()), (0, 2));
    assert_eq!(fuel.spent(), [("a", 1), ("b", 1)]);
}

#[test]
fn an_instruction_is_isolated_with_the_constants_it_uses() {
    let mut b = FuncBuilder::new("main");
    let x = b.param(scalar());
    let four = b.iota(DType::F32, &tfjit_base::Shape::new(&[4]), 0).unwrap();
    let (zero, two) = (b.constant(Tensor::scalar(0.0f32)), b.constant(Tensor::scalar(2.0f32)));
    let (zero, two) = (zero.unwrap(), two.unwrap());
    let region = b.region(&[scalar(), scalar()], |b, p| {
        let y = b.binary(Binary::Multiply, p[1], two)?;
        Ok(vec![b.binary(Binary::Add, p[0], y)?])
    });
    let op = Op::Reduce { dimensions: crate::Dims::from_slice(&[0]) };
    let sum = b.push(op, &[four, zero], &[region.unwrap()]).unwrap()[0];
    let y = b.binary(Binary::Add, sum, x).unwrap();
    let f = b.finish(&[y]);
    assert_eq!(f.captures(f.def(sum).unwrap().0), [four, zero, two]);
    let alone = f.isolate(f.def(sum).unwrap().0).unwrap();
    assert_eq!(names(&alone, alone.entry), ["iota", "constant", "constant", "reduce"]);
    verify_func(&alone).unwrap();
    assert!(f.isolate(f.def(y).unwrap().0).is_err());
}
