//! Random well-typed modules for property tests: the same seed makes the same module, everywhere.
//!
//! [`random_program`] makes programs that can be run and have one meaning: no effects, no
//! communication, no unknown extents, no division of work whose order shows, no matrices that are
//! not positive definite. [`random_module`] may use every operation there is.

mod contract;
mod control;
mod elementwise;
mod moves;
mod random;
mod reduce;
mod rest;
mod values;

use tfjit_base::{DType, Result};

pub use random::SplitMix;

use crate::{Attr, Func, FuncBuilder, Module, TensorType, Type, ValueId};

/// A module of about `size` instructions that may use every operation.
pub fn random_module(seed: u64, size: usize) -> Module {
    generate(seed, size, true)
}

/// A module of about `size` instructions that can be run, with one right answer.
pub fn random_program(seed: u64, size: usize) -> Module {
    generate(seed, size, false)
}

/// Makes some instructions; gives values to go on with.
type Maker = fn(&mut Gen) -> Result<Vec<ValueId>>;

/// Makers with how often each is drawn.
type Makers = &'static [(u32, Maker)];

/// Families of makers of what can be run.
const PROGRAM: &[Makers] =
    &[elementwise::MAKERS, moves::MAKERS, reduce::MAKERS, contract::MAKERS, control::MAKERS];

/// A function that can be called.
#[derive(Clone)]
struct Helper {
    name: String,
    params: Vec<Type>,
    results: Vec<Type>,
}

/// A function being made.
struct Gen {
    b: FuncBuilder,
    rng: SplitMix,
    /// Static tensors in scope.
    pool: Vec<ValueId>,
    /// Values of other types, which are only returned.
    loose: Vec<ValueId>,
    /// How many regions are open.
    depth: usize,
    helpers: Vec<Helper>,
    everything: bool,
}

fn generate(seed: u64, size: usize, everything: bool) -> Module {
    let mut rng = SplitMix::new(seed);
    let mut module = Module::default();
    let mut helpers = Vec::new();
    for i in 0..rng.below(3) {
        let name = format!("helper_{i}");
        let func = function(&name, &mut rng, size / 8, &helpers, everything);
        helpers.push(Helper {
            name,
            params: func.param_types().cloned().collect(),
            results: func.result_types.clone(),
        });
        module.funcs.push(func);
    }
    module.funcs.iter_mut().for_each(|f| f.public = false);
    module.funcs.push(function("main", &mut rng, size, &helpers, everything));
    if everything {
        module.name = format!("random_{seed}");
        module.attrs.insert("mhlo.num_partitions".into(), Attr::Int(1, "i32".into()));
    }
    module
}

fn function(
    name: &str,
    rng: &mut SplitMix,
    size: usize,
    helpers: &[Helper],
    everything: bool,
) -> Func {
    let mut g = Gen {
        b: FuncBuilder::new(name),
        rng: rng.fork(),
        pool: Vec::new(),
        loose: Vec::new(),
        depth: 0,
        helpers: helpers.to_vec(),
        everything,
    };
    for _ in 0..1 + g.rng.below(3) {
        let ty = g.random_type();
        let param = g.b.param(ty);
        g.pool.push(param);
    }
    g.steps(size.max(1));
    let mut results: Vec<ValueId> = (0..1 + g.rng.below(3)).map(|_| g.recent()).collect();
    if name == "main" {
        results.append(&mut g.loose);
    }
    let mut func = g.b.finish(&results);
    name_some(&mut func, &mut g.rng);
    func
}

/// Gives names to some values, and attributes to a parameter.
fn name_some(func: &mut Func, rng: &mut SplitMix) {
    for (i, value) in func.values.ids().enumerate() {
        if rng.one_in(6) {
            func.values[value].name = Some(format!("named_{i}").into());
        }
    }
    if rng.one_in(3) {
        let mut attrs = crate::Attrs::new();
        attrs.insert("mhlo.sharding".into(), Attr::Str("{replicated}".into()));
        func.param_attrs.push(attrs);
    }
}

impl Gen {
    /// Makes about `n` instructions in the current block.
    fn steps(&mut self, n: usize) {
        for i in 0..n {
            let source = self.rng.one_in(4).then(|| format!("node_{i}").into());
            self.b.set_source(source);
            let family = match self.everything && self.rng.one_in(4) {
                true => rest::MAKERS,
                false => self.rng.pick(PROGRAM),
            };
            let maker = self.rng.weighted(family);
            let made = maker(self).expect("makers respect the shape rules");
            for value in made {
                let keep = matches!(self.b.func().ty(value), Type::Tensor(t)
                    if t.is_static() && t.quant.is_none() && elements(t) <= values::ELEMENTS_MAX);
                if keep {
                    self.pool.push(value);
                } else if self.depth == 0 && self.everything {
                    self.loose.push(value);
                }
            }
        }
        self.b.set_source(None);
    }

    /// Makes a region; what is made in it is out of scope afterwards.
    fn region(
        &mut self,
        params: &[Type],
        body: impl FnOnce(&mut Gen, &[ValueId]) -> Result<Vec<ValueId>>,
    ) -> Result<crate::BlockId> {
        let (scope, depth) = (self.pool.len(), self.depth);
        self.depth += 1;
        let mut b = std::mem::replace(&mut self.b, FuncBuilder::new(""));
        let block = b.region(params, |inner, params| {
            std::mem::swap(inner, &mut self.b);
            let results = body(self, params);
            std::mem::swap(inner, &mut self.b);
            results
        });
        self.b = b;
        self.pool.truncate(scope);
        self.depth = depth;
        block
    }

    /// A scalar type.
    fn scalar(dtype: DType) -> Type {
        Type::Tensor(TensorType::scalar(dtype))
    }
}

/// The number of elements of a static type.
fn elements(t: &TensorType) -> i64 {
    t.dims.iter().product()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::{Binary, Level, OTHER_NAMES, Unary, fingerprint, verify, verify_at};

    #[test]
    fn random_modules_are_well_typed_and_cover_all_operations() {
        let mut seen = BTreeSet::new();
        for seed in 0..400 {
            let module = random_module(seed, 60);
            verify(&module).unwrap_or_else(|e| panic!("seed {seed}: {e}"));
            for func in &module.funcs {
                seen.extend(func.walk().into_iter().map(|i| func.insts[i].op.row().name));
            }
        }
        let unary = Unary::ALL.iter().map(|u| u.text());
        let binary = Binary::ALL.iter().map(|b| b.text());
        let all = unary.chain(binary).chain(OTHER_NAMES.iter().copied());
        let missing: Vec<&str> = all.filter(|name| !seen.contains(name)).collect();
        assert!(missing.is_empty(), "never made: {missing:?}");
    }

    #[test]
    fn random_programs_are_static() {
        for seed in 0..200 {
            let module = random_program(seed, 60);
            verify_at(&module, Level::Static).unwrap_or_else(|e| panic!("seed {seed}: {e}"));
        }
    }

    #[test]
    fn a_seed_is_a_module() {
        let number = |seed| fingerprint(&random_module(seed, 40));
        assert_eq!(number(7), number(7));
        assert_ne!(number(7), number(8));
    }
}
