//! A number that stands for a module's content: equal for equal programs, in every process.
//!
//! What a program does not depend on is left out: names of values, functions and the module, and
//! sources. Function calls count by position. It is no cryptographic digest.

use std::fmt::{self, Write};
use std::hash::{Hash, Hasher};

use rustc_hash::FxHashMap;

use crate::{Attr, Attrs, Func, Literal, Module, Op, ValueId};

/// The fingerprint of a module.
pub fn fingerprint(module: &Module) -> u128 {
    let mut digest = Digest::default();
    let names = module.funcs.iter().enumerate().map(|(i, f)| (f.name.as_str(), i));
    let names: FxHashMap<&str, usize> = names.collect();
    module.entry_index().hash(&mut digest);
    attrs(&module.attrs, &mut digest);
    for func in &module.funcs {
        function(func, &names, &mut digest);
    }
    digest.end()
}

/// A number that is equal for equal operations; names of functions count.
pub fn op_hash(op: &Op) -> u64 {
    let mut digest = Digest::default();
    operation(op, &FxHashMap::default(), &mut digest);
    digest.finish()
}

/// A hash whose value is the same in every process: two 64-bit lanes, each multiplied and folded.
struct Digest {
    lanes: [u64; 2],
    length: u64,
}

impl Default for Digest {
    fn default() -> Digest {
        Digest { lanes: [0x9e37_79b9_7f4a_7c15, 0xc2b2_ae3d_27d4_eb4f], length: 0 }
    }
}

/// The upper and the lower half of a product, folded: every input bit reaches every output bit.
fn fold(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    (product as u64) ^ ((product >> 64) as u64)
}

impl Digest {
    fn word(&mut self, word: u64) {
        self.length = self.length.wrapping_add(1);
        let [a, b] = self.lanes;
        self.lanes[0] = fold(a ^ word, 0xa076_1d64_78bd_642f).wrapping_add(b.rotate_left(23));
        self.lanes[1] = fold(b ^ word.rotate_left(32), 0xe703_7ed1_a0b4_28db) ^ a;
    }

    fn end(mut self) -> u128 {
        for _ in 0..3 {
            self.word(self.length);
        }
        u128::from(self.lanes[0]) << 64 | u128::from(self.lanes[1])
    }
}

impl Hasher for Digest {
    fn write(&mut self, bytes: &[u8]) {
        let mut chunks = bytes.chunks_exact(8);
        for chunk in &mut chunks {
            self.word(u64::from_le_bytes(chunk.try_into().expect("chunks have eight bytes")));
        }
        let rest = chunks.remainder();
        let mut last = [0u8; 8];
        last[..rest.len()].copy_from_slice(rest);
        self.word(u64::from_le_bytes(last) ^ (bytes.len() as u64).rotate_right(8));
    }

    fn finish(&self) -> u64 {
        self.lanes[0]
    }
}

/// Text is taken in piece by piece, so that `{:?}` of an operation needs no buffer.
impl Write for Digest {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.write(text.as_bytes());
        Ok(())
    }
}

fn function(func: &Func, names: &FxHashMap<&str, usize>, digest: &mut Digest) {
    func.public.hash(digest);
    func.result_types.hash(digest);
    attrs(&func.attrs, digest);
    for list in [&func.param_attrs, &func.result_attrs] {
        list.len().hash(digest);
        list.iter().for_each(|a| attrs(a, digest));
    }
    let mut numbers: FxHashMap<ValueId, usize> = FxHashMap::default();
    let mut number = |value: ValueId, digest: &mut Digest| {
        let next = numbers.len();
        numbers.entry(value).or_insert(next).hash(digest);
    };
    for block in func.reachable_blocks() {
        let block = &func.blocks[block];
        block.params.len().hash(digest);
        for &param in &block.params {
            func.ty(param).hash(digest);
            number(param, digest);
        }
        block.insts.len().hash(digest);
        for &inst in &block.insts {
            let inst = &func.insts[inst];
            operation(&inst.op, names, digest);
            inst.attrs.as_deref().iter().for_each(|a| attrs(a, digest));
            (inst.operands.len(), inst.results.len(), inst.regions.len()).hash(digest);
            inst.operands.iter().for_each(|&v| number(v, digest));
            for &result in &inst.results {
                func.ty(result).hash(digest);
                number(result, digest);
            }
        }
        block.results.len().hash(digest);
        block.results.iter().for_each(|&v| number(v, digest));
    }
}

fn operation(op: &Op, names: &FxHashMap<&str, usize>, digest: &mut Digest) {
    let callee = |name: &str, digest: &mut Digest| match names.get(name) {
        Some(position) => position.hash(digest),
        None => name.hash(digest),
    };
    digest.write(op.row().name.as_bytes());
    match op {
        Op::Constant(value) => literal(value, digest),
        Op::Call { callee: name } => callee(name, digest),
        Op::Composite(composite) => {
            composite.name.hash(digest);
            composite.version.hash(digest);
            attrs(&composite.composite_attributes, digest);
            callee(&composite.decomposition, digest);
        }
        Op::CustomCall(call) => {
            call.call_target_name.hash(digest);
            (call.has_side_effect, call.api_version).hash(digest);
            call.backend_config.iter().for_each(|a| attr(a, digest));
            call.called_computations.iter().for_each(|name| callee(name, digest));
            attrs(&call.rest, digest);
        }
        Op::DotGeneral(dot) => {
            dot.algorithm.iter().for_each(|a| attr(a, digest));
            shown(dot, digest);
        }
        other => shown(other, digest),
    }
}

/// Takes in what `{:?}` prints, which for attributes of numbers and enums tells all there is.
fn shown(value: &dyn fmt::Debug, digest: &mut Digest) {
    write!(digest, "{value:?}").expect("taking in text does not fail");
}

fn literal(value: &Literal, digest: &mut Digest) {
    value.ty().hash(digest);
    value.stored().shape().hash(digest);
    digest.write(value.stored().bytes());
}

fn attrs(attrs: &Attrs, digest: &mut Digest) {
    attrs.len().hash(digest);
    for (name, value) in attrs {
        name.hash(digest);
        attr(value, digest);
    }
}

/// Takes in an attribute; its nesting is bounded by the parser's limit.
fn attr(value: &Attr, digest: &mut Digest) {
    match value {
        Attr::Dense(value) => literal(value, digest),
        Attr::Array(items) => {
            items.len().hash(digest);
            items.iter().for_each(|item| attr(item, digest));
        }
        Attr::Dict(items) => attrs(items, digest),
        Attr::Float(value, suffix) => {
            value.to_bits().hash(digest);
            suffix.hash(digest);
        }
        Attr::Unit
        | Attr::Bool(_)
        | Attr::Int(..)
        | Attr::Str(_)
        | Attr::Symbol(_)
        | Attr::DenseArray(..)
        | Attr::Type(_)
        | Attr::Opaque(_) => shown(value, digest),
    }
}

#[cfg(test)]
mod tests {
    use tfjit_base::{DType, Shape, Tensor};

    use super::*;
    use crate::{Binary, FuncBuilder, Type};

    fn module(scale: f32, op: Binary, swap: bool) -> Module {
        let mut b = FuncBuilder::new("main");
        let x = b.param(Type::tensor(DType::F32, &[2]));
        let c = b.constant(Tensor::from_slice(Shape::new(&[2]), &[scale, 1.0]).unwrap()).unwrap();
        let y = if swap { b.binary(op, c, x) } else { b.binary(op, x, c) };
        Module { funcs: vec![b.finish(&[y.unwrap()])], ..Module::default() }
    }

    #[test]
    fn content_counts_and_names_do_not() {
        let a = module(2.0, Binary::Add, false);
        let same = fingerprint(&a);
        let mut named = a.clone();
        named.name = "other".into();
        named.funcs[0].name = "main2".into();
        let first = named.funcs[0].params()[0];
        named.funcs[0].values[first].name = Some("x".into());
        assert_eq!(fingerprint(&named), same);
        for other in [
            module(3.0, Binary::Add, false),
            module(2.0, Binary::Multiply, false),
            module(2.0, Binary::Add, true),
        ] {
            assert_ne!(fingerprint(&other), same);
        }
    }

    #[test]
    fn the_number_is_the_same_in_every_process() {
        let module = module(2.0, Binary::Add, false);
        assert_eq!(format!("{:032x}", fingerprint(&module)), "27341147f839af482ff49690529d8b1b");
    }

    #[test]
    fn arena_slots_do_not_count() {
        let a = module(2.0, Binary::Add, false);
        let mut b = a.clone();
        b.funcs[0].add_inst(Op::AfterAll, &[], &[], vec![Type::Token]);
        assert_eq!(fingerprint(&a), fingerprint(&b));
    }
}
