//! Large constants are neither read nor copied by passes that do not replace them.
#![allow(clippy::unwrap_used, reason = "what does not hold here is a failed test")]

use tfjit_base::{DType, Error, Result, Shape, Tensor};
use tfjit_hlo::{Binary, Dims, DotGeneral, Fuel, FuncBuilder, Module, Op, Type};
use tfjit_opt::{CPU, Options, PassRow, optimise, passes_named};

/// Numbers in memory of their own.
fn weights(n: usize) -> Tensor {
    let values: Vec<f32> = (0..n * n).map(|i| i as f32).collect();
    Tensor::from_slice(Shape::new(&[n, n]), &values).unwrap()
}

/// An evaluator that nothing should need.
fn refuse(module: &Module) -> Result<Vec<Tensor>> {
    panic!("this is evaluated:\n{module}");
}

fn behind(module: &mut Module, passes: &[PassRow]) -> u64 {
    let fuel = Fuel::unlimited();
    let mut options = Options::new(&fuel);
    (options.passes, options.check) = (passes, true);
    options.fold = Some(&refuse);
    optimise(module, &options).unwrap();
    fuel.total()
}

/// The addresses of the constants that are left.
fn addresses(module: &Module) -> Vec<*const u8> {
    let func = &module.funcs[0];
    let literals = func.walk().into_iter().filter_map(|id| match &func.insts[id].op {
        Op::Constant(literal) => Some(literal.stored().bytes().as_ptr()),
        _ => None,
    });
    literals.collect()
}

/// `x * a + b` of square matrices that are constants.
fn sum(a: &Tensor, b: &Tensor) -> Module {
    let n = a.shape()[0] as i64;
    let mut f = FuncBuilder::new("main");
    let x = f.param(Type::tensor(DType::F32, &[n, n]));
    let (a, b) = (f.constant(a.clone()).unwrap(), f.constant(b.clone()).unwrap());
    let dot = DotGeneral {
        lhs_contracting_dimensions: Dims::from_slice(&[1]),
        rhs_contracting_dimensions: Dims::from_slice(&[0]),
        ..DotGeneral::default()
    };
    let y = f.dot_general(x, a, dot, DType::F32).unwrap();
    let y = f.binary(Binary::Add, y, b).unwrap();
    Module { funcs: vec![f.finish(&[y])], ..Module::default() }
}

#[test]
fn weights_that_are_used_as_they_are_stay_where_they_are() {
    let (a, b) = (weights(64), weights(64));
    let mut module = sum(&a, &b);
    assert_eq!(behind(&mut module, CPU), 0, "{module}");
    assert_eq!(addresses(&module), [a.bytes().as_ptr(), b.bytes().as_ptr()]);
}

#[test]
fn large_constants_are_one_when_they_share_memory_and_small_ones_when_they_are_equal() {
    let passes = passes_named("common-subexpressions").unwrap();
    let large = weights(64);
    for (a, b, left) in [
        (large.clone(), large.clone(), 1),
        (large.clone(), weights(64), 2),
        (weights(8), weights(8), 1),
    ] {
        let mut module = sum(&a, &b);
        behind(&mut module, &passes);
        assert_eq!(addresses(&module).len(), left);
    }
}

#[test]
fn a_reshape_of_weights_shares_their_memory() {
    let a = weights(64);
    let mut f = FuncBuilder::new("main");
    let x = f.param(Type::tensor(DType::F32, &[4096]));
    let w = f.constant(a.clone()).unwrap();
    let w = f.reshape(w, &Shape::new(&[4096])).unwrap();
    let y = f.binary(Binary::Add, x, w).unwrap();
    let mut module = Module { funcs: vec![f.finish(&[y])], ..Module::default() };
    let passes = passes_named("fold-weights,dead-code").unwrap();
    assert!(behind(&mut module, &passes) > 0);
    assert_eq!(addresses(&module), [a.bytes().as_ptr()]);
}

#[test]
fn an_evaluator_that_gives_up_changes_nothing() {
    let broken = |_: &Module| Err(Error::unimplemented("nothing is evaluated"));
    let mut f = FuncBuilder::new("main");
    let w = f.constant(weights(64)).unwrap();
    let w = f.convert(w, DType::F64).unwrap();
    let mut module = Module { funcs: vec![f.finish(&[w])], ..Module::default() };
    let fuel = Fuel::unlimited();
    let mut options = Options::cpu(&fuel);
    options.check = true;
    options.fold = Some(&broken);
    optimise(&mut module, &options).unwrap();
    assert_eq!(fuel.total(), 0);
}
