//! Random programs mean the same before and after passes: the interpreter is asked.
#![allow(clippy::unwrap_used, reason = "what does not hold here is a failed test")]

use tfjit_base::{DType, Error, Result, Shape, Tensor};
use tfjit_eval::{Interpreter, Value};
use tfjit_hlo::{
    Fuel, Module, SplitMix, TensorType, Type, fingerprint, random_module, random_program,
};
use tfjit_opt::{ALL, CPU, Options, PassRow, optimise, run_passes};

/// The results of the entry, or an error.
fn run(module: &Module, args: &[Value]) -> Result<Vec<Tensor>> {
    let values = Interpreter::new(module, tfjit_eval::Options::default()).run_entry(args)?;
    values.iter().map(|value| value.tensor().cloned()).collect()
}

fn fold(module: &Module) -> Result<Vec<Tensor>> {
    run(module, &[])
}

/// Small numbers as bytes of any type.
fn argument(ty: &TensorType, rng: &mut SplitMix) -> Value {
    let shape = ty.shape().unwrap();
    let values: Vec<f64> = (0..shape.elements()).map(|_| rng.between(-6, 6) as f64 / 2.0).collect();
    let x = Tensor::from_slice(shape, &values).unwrap();
    let to = [ty.with_dtype(ty.dtype)];
    let mut out = tfjit_eval::eval_inst(&tfjit_hlo::Op::Convert, &[&x], &to).unwrap();
    Value::Tensor(out.remove(0))
}

fn arguments(module: &Module, seed: u64) -> Vec<Value> {
    let mut rng = SplitMix::new(seed);
    let types = module.entry().unwrap().param_types();
    types.map(|ty| argument(ty.as_tensor().unwrap(), &mut rng)).collect()
}

/// Whether two results are the same number: NaN may be another NaN.
fn same(a: &Tensor, b: &Tensor) -> bool {
    if a == b {
        return true;
    }
    if a.dtype() != b.dtype() || a.shape() != b.shape() {
        return false;
    }
    let parts = |x: &Tensor| -> Option<Vec<f64>> {
        if !x.dtype().is_complex() {
            return x.to_f64s().ok();
        }
        let n = Shape::new(&[x.elements(), 2]);
        let real = Tensor::from_raw(x.dtype().real(), n, x.bytes()).ok()?;
        real.to_f64s().ok()
    };
    let number = a.dtype().is_float() || a.dtype().is_complex();
    match (parts(a), parts(b)) {
        (Some(x), Some(y)) if number => {
            x.iter().zip(&y).all(|(x, y)| x.to_bits() == y.to_bits() || (x.is_nan() && y.is_nan()))
        }
        _ => false,
    }
}

fn check(seed: u64, name: &str, before: &Result<Vec<Tensor>>, module: &Module, args: &[Value]) {
    let after = run(module, args);
    match (before, &after) {
        (Ok(a), Ok(b)) => {
            assert_eq!(a.len(), b.len(), "seed {seed}, {name}");
            for (i, (a, b)) in a.iter().zip(b).enumerate() {
                assert!(same(a, b), "seed {seed}, {name}: result {i}\n{module}");
            }
        }
        // What cannot be run may be what passes take away.
        (Err(_), _) => {}
        (Ok(_), Err(e)) => panic!("seed {seed}, {name}: {e}\n{module}"),
    }
}

#[test]
fn programs_mean_the_same_after_each_pass_and_after_all() {
    let mut rewrites = 0;
    for seed in 0..150 {
        let module = random_program(seed, 40);
        let args = arguments(&module, seed);
        let before = run(&module, &args);
        for row in ALL.iter().filter(|row| row.exact) {
            let fuel = Fuel::unlimited();
            let mut options = Options::new(&fuel);
            let passes = [*row];
            (options.passes, options.check) = (&passes, true);
            options.fold = Some(&fold);
            let mut copy = module.clone();
            run_passes(&mut copy, &options).unwrap_or_else(|e| panic!("seed {seed}: {e}"));
            check(seed, row.name, &before, &copy, &args);
        }
        let fuel = Fuel::unlimited();
        let mut options = Options::new(&fuel);
        options.check = true;
        options.fold = Some(&fold);
        let mut copy = module.clone();
        optimise(&mut copy, &options).unwrap_or_else(|e| panic!("seed {seed}: {e}"));
        check(seed, "all", &before, &copy, &args);
        rewrites += fuel.total();
    }
    assert!(rewrites > 2000, "only {rewrites} rewrites were tried");
}

/// The passes of our own compiler mean the same but for those that round otherwise.
#[test]
fn programs_mean_the_same_after_the_exact_passes_of_the_compiler() {
    let exact: Vec<PassRow> = CPU.iter().filter(|row| row.exact).copied().collect();
    for seed in 0..300 {
        let module = random_program(seed, 40);
        let args = arguments(&module, seed);
        let before = run(&module, &args);
        let fuel = Fuel::unlimited();
        let mut options = Options::cpu(&fuel);
        (options.check, options.passes) = (true, &exact);
        options.fold = Some(&fold);
        let mut copy = module.clone();
        let report = optimise(&mut copy, &options).unwrap_or_else(|e| panic!("seed {seed}: {e}"));
        assert!(report.settled, "seed {seed} does not settle: {:?}", fuel.spent());
        check(seed, "compiler", &before, &copy, &args);
    }
}

#[test]
fn modules_of_all_operations_stay_valid() {
    for seed in 0..200 {
        for passes in [tfjit_opt::STANDARD, CPU] {
            let mut module = random_module(seed, 50);
            let fuel = Fuel::unlimited();
            let mut options = Options::new(&fuel);
            (options.check, options.passes) = (true, passes);
            options.fold = Some(&fold);
            optimise(&mut module, &options).unwrap_or_else(|e| panic!("seed {seed}: {e}"));
        }
    }
}

#[test]
fn what_has_settled_stays_and_fuel_is_obeyed() {
    for seed in 0..40 {
        let module = random_program(seed, 40);
        let (mut whole, fuel) = (module.clone(), Fuel::unlimited());
        let mut options = Options::new(&fuel);
        options.fold = Some(&fold);
        let report = optimise(&mut whole, &options).unwrap();
        assert!(report.settled, "seed {seed} does not settle: {:?}", fuel.spent());
        let print = fingerprint(&whole);
        optimise(&mut whole, &options).unwrap();
        assert_eq!(fingerprint(&whole), print, "seed {seed}");

        let args = arguments(&module, seed);
        let before = run(&module, &args);
        for n in [0, 1, 2, 5] {
            let (mut part, fuel) = (module.clone(), Fuel::new(n));
            let mut options = Options::new(&fuel);
            options.fold = Some(&fold);
            optimise(&mut part, &options).unwrap();
            assert!(fuel.total() <= n);
            assert!(n > 0 || fingerprint(&part) == fingerprint(&module));
            check(seed, "some", &before, &part, &args);
        }
    }
}

#[test]
fn an_invalid_module_is_refused() {
    let mut module = random_program(1, 10);
    let i = module.entry_index().unwrap();
    module.funcs[i].result_types.push(Type::tensor(DType::F32, &[]));
    let fuel = Fuel::unlimited();
    let mut options = Options::new(&fuel);
    options.check = true;
    let error: Error = optimise(&mut module, &options).unwrap_err();
    assert!(error.message().contains("its signature has"), "{error}");
}
