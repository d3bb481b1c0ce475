//! Programs full of transposes and reshapes mean the same after these are sunk, bit for bit, and
//! never move more.
#![allow(clippy::unwrap_used, reason = "what does not hold here is a failed test")]

use tfjit_base::{DType, Result, Shape, Tensor};
use tfjit_eval::{Interpreter, Value};
use tfjit_hlo::{
    Binary, Dims, Direction, DotGeneral, Fuel, FuncBuilder, Module, Op, SplitMix, Type, Unary,
    ValueId, Window,
};
use tfjit_opt::{Options, optimise, passes_named};

fn run(module: &Module, args: &[Value]) -> Result<Vec<Tensor>> {
    let values = Interpreter::new(module, tfjit_eval::Options::default()).run_entry(args)?;
    values.iter().map(|value| value.tensor().cloned()).collect()
}

fn fold(module: &Module) -> Result<Vec<Tensor>> {
    run(module, &[])
}

/// Elements that transposes move, and the number of reshapes.
fn moves(module: &Module) -> (usize, usize) {
    let func = &module.funcs[0];
    let (mut elements, mut reshapes) = (0, 0);
    let live = func.live();
    for id in func.walk().into_iter().filter(|&id| live.has(id)) {
        let ty = func.tensor_ty(func.insts[id].results[0]).unwrap();
        match func.insts[id].op {
            Op::Transpose { .. } => elements += ty.shape().unwrap().elements() * ty.dtype.bits(),
            Op::Reshape => reshapes += 1,
            _ => {}
        }
    }
    (elements, reshapes)
}

fn numbers(shape: &Shape, rng: &mut SplitMix) -> Tensor {
    let values: Vec<f32> =
        (0..shape.elements()).map(|_| rng.between(-1000, 1000) as f32 / 700.0).collect();
    Tensor::from_slice(shape.clone(), &values).unwrap()
}

/// A program that grows by one operation a step.
struct Growing {
    b: FuncBuilder,
    rng: SplitMix,
    values: Vec<ValueId>,
}

impl Growing {
    fn pick(&mut self) -> ValueId {
        // Late values more often, so that chains come about.
        let n = self.values.len();
        let back = self.rng.below(n).min(self.rng.below(n));
        self.values[n - 1 - back]
    }

    /// Another value of the shape of `x`, or a constant, or a broadcast.
    fn beside(&mut self, x: ValueId) -> ValueId {
        let shape = self.b.shape(x).unwrap();
        let same: Vec<ValueId> =
            self.values.iter().copied().filter(|&v| self.b.shape(v).unwrap() == shape).collect();
        match self.rng.below(5) {
            0 => self.b.splat(Tensor::scalar(0.75f32), &shape).unwrap(),
            1 => self.b.constant(numbers(&shape, &mut self.rng)).unwrap(),
            2 if shape.rank() > 0 => {
                let d = self.rng.below(shape.rank());
                let row = numbers(&Shape::new(&[shape[d]]), &mut self.rng);
                let row = self.b.constant(row).unwrap();
                self.b.broadcast_in_dim(row, &shape, &[d as i64]).unwrap()
            }
            3 if shape.rank() > 0 => self.b.iota(DType::F32, &shape, 0).unwrap(),
            _ => same[self.rng.below(same.len())],
        }
    }

    fn elementwise(&mut self, x: ValueId) -> ValueId {
        let y = self.beside(x);
        match self.rng.below(5) {
            0 => self.b.unary(Unary::Tanh, x).unwrap(),
            1 => {
                let pred = self.b.compare(Direction::Lt, x, y).unwrap();
                self.b.select(pred, y, x).unwrap()
            }
            2 => {
                let low = self.b.constant(Tensor::scalar(-1.0f32)).unwrap();
                self.b.clamp(low, x, y).unwrap()
            }
            3 => self.b.binary(Binary::Multiply, y, x).unwrap(),
            _ => self.b.binary(Binary::Add, x, y).unwrap(),
        }
    }

    fn transpose(&mut self, x: ValueId) -> ValueId {
        let rank = self.b.shape(x).unwrap().rank();
        let some: [&[i64]; 3] = [&[0, 3, 1, 2], &[0, 2, 3, 1], &[1, 0, 2, 3]];
        let permutation = match rank {
            4 => some[self.rng.below(3)].to_vec(),
            _ => (0..rank as i64).rev().collect(),
        };
        self.b.transpose(x, &permutation).unwrap()
    }

    fn reshape(&mut self, x: ValueId) -> ValueId {
        let shape = self.b.shape(x).unwrap();
        let dims = shape.dims();
        let new = match (self.rng.below(4), dims.len()) {
            (0, 2..) => {
                let d = self.rng.below(dims.len() - 1);
                let mut new = dims.to_vec();
                new[d] *= new.remove(d + 1);
                new
            }
            (1, 1..=3) if dims[0].is_multiple_of(2) => [&[2, dims[0] / 2][..], &dims[1..]].concat(),
            (2, 0..=3) => [&[1][..], dims].concat(),
            _ if shape.elements() == 120 => vec![2, 3, 4, 5],
            _ => return x,
        };
        self.b.reshape(x, &Shape::new(&new)).unwrap()
    }

    fn other(&mut self, x: ValueId) -> ValueId {
        let shape = self.b.shape(x).unwrap();
        let rank = shape.rank();
        let zero = self.b.constant(Tensor::scalar(0.0f32)).unwrap();
        let each = |n: i64| -> Dims { Dims::from_elem(n, rank) };
        if rank == 0 {
            return x;
        }
        let d = self.rng.below(rank);
        match self.rng.below(6) {
            0 => {
                let dims: Vec<i64> = (0..rank as i64).filter(|_| self.rng.one_in(2)).collect();
                self.b.reduce(Binary::Add, x, zero, &dims).unwrap()
            }
            1 if shape.elements() < 2000 => self.b.concatenate(&[x, x], d).unwrap(),
            2 => {
                let (mut low, high) = (each(0), each(0));
                low[d] = 1;
                self.b.pad(x, zero, &low, &high, &high).unwrap()
            }
            3 => {
                let (mut start, limit) = (each(0), shape.to_i64());
                start[d] = (limit[d] > 1).into();
                self.b.slice(x, &start, &limit, &each(1)).unwrap()
            }
            4 => self.b.reverse(x, &[d as i64]).unwrap(),
            _ => {
                let mut window = Window {
                    window_dimensions: each(1),
                    window_strides: each(1),
                    base_dilations: each(1),
                    window_dilations: each(1),
                    padding: vec![[0, 0]; rank],
                };
                window.window_dimensions[d] = 2;
                window.window_dimensions[rank - 1] = 2;
                window.padding[d] = [1, 1];
                window.padding[rank - 1] = [0, 1];
                self.b.reduce_window(Binary::Add, x, zero, window).unwrap()
            }
        }
    }

    fn dot(&mut self, x: ValueId) -> ValueId {
        let shape = self.b.shape(x).unwrap();
        if shape.rank() < 2 || shape.elements() > 500 {
            return x;
        }
        let d = self.rng.below(shape.rank());
        let right = numbers(&Shape::new(&[3, shape[d]]), &mut self.rng);
        let right = self.b.constant(right).unwrap();
        let dot = DotGeneral {
            lhs_contracting_dimensions: Dims::from_slice(&[d as i64]),
            rhs_contracting_dimensions: Dims::from_slice(&[1]),
            ..DotGeneral::default()
        };
        self.b.dot_general(x, right, dot, DType::F32).unwrap()
    }
}

fn program(seed: u64) -> (Module, Vec<Value>) {
    let mut rng = SplitMix::new(seed);
    let mut b = FuncBuilder::new("main");
    let shapes = [Shape::new(&[2, 3, 4, 5]), Shape::new(&[2, 4, 5, 3])];
    let values = shapes.iter().map(|s| b.param(Type::tensor(DType::F32, &s.to_i64()))).collect();
    let args = shapes.iter().map(|s| Value::Tensor(numbers(s, &mut rng))).collect();
    let mut g = Growing { b, rng, values };
    for _ in 0..25 {
        let x = g.pick();
        let y = match g.rng.below(10) {
            0..3 => g.transpose(x),
            3..5 => g.reshape(x),
            5..8 => g.elementwise(x),
            8 => g.other(x),
            _ => g.dot(x),
        };
        if g.b.shape(y).unwrap().elements() > 0 {
            g.values.push(y);
        }
    }
    let n = g.values.len();
    let mut results = vec![g.values[n - 1], g.values[n - 2]];
    let one = g.pick();
    results.push(one);
    (Module { funcs: vec![g.b.finish(&results)], ..Module::default() }, args)
}

fn bits(tensors: &[Tensor]) -> Vec<(Shape, Vec<u8>)> {
    tensors.iter().map(|t| (t.shape().clone(), t.bytes().to_vec())).collect()
}

#[test]
fn moves_are_sunk_and_results_stay() {
    let (mut fewer, mut rewrites) = (0, 0);
    for seed in 0..1500 {
        let (module, args) = program(seed);
        let before = run(&module, &args).unwrap();
        for passes in ["sink-moves", "algebra,sink-moves,common-subexpressions,dead-code"] {
            let fuel = Fuel::unlimited();
            let named = passes_named(passes).unwrap();
            let mut options = Options::new(&fuel);
            (options.passes, options.check) = (&named, true);
            options.fold = Some(&fold);
            options.rounds_max = 20;
            let mut copy = module.clone();
            let report = optimise(&mut copy, &options);
            let report = report.unwrap_or_else(|e| panic!("seed {seed}: {e}\n{module}"));
            assert!(report.settled, "seed {seed} does not settle: {:?}", fuel.spent());
            let after = run(&copy, &args).unwrap();
            assert_eq!(bits(&before), bits(&after), "seed {seed}\n{module}\n{copy}");
            if passes == "sink-moves" {
                let (a, b) = (moves(&module), moves(&copy));
                assert!(b.0 <= a.0 && b.1 <= a.1, "seed {seed}: {a:?} {b:?}\n{module}\n{copy}");
                fewer += usize::from(a != b);
                rewrites += fuel.total();
            }
        }
    }
    assert!(fewer > 200 && rewrites > 200, "{fewer} programs became better, {rewrites} rewrites");
}
