//! Ops that move elements and do not look at them, on strings.
//!
//! Such an op is compiled for integers: each string is the number of its place in a pool, in which
//! equal strings are one. The empty string has the number zero, which is what ops fill in.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use tfjit_base::{Error, Result, Tensor};
use tfjit_bridge::row_of;
use tfjit_model::{AttrList, AttrValue, Node, TfType};
use tfjit_runtime::{Kernel, StepContext, Value};

use crate::ops::Env;
use crate::{XlaLaunch, constant_inputs, single_op_function};

/// Ops on strings that the numbers tell nothing of.
const LOOK: &[&str] = &["Assert", "Greater", "GreaterEqual", "Less", "LessEqual", "Print", "Cast"];

/// The kernel of a node.
#[derive(Debug)]
pub(crate) struct StringMove {
    launch: XlaLaunch,
    /// Which outputs are strings.
    strings: Vec<bool>,
}

impl StringMove {
    /// Whether the node moves strings and can be compiled for other types.
    pub(crate) fn moves(node: &Node, inputs: &[TfType]) -> bool {
        let any = inputs.iter().chain(&node.output_types).any(|&t| t == TfType::DtString);
        any && row_of(&node.op).is_some() && !LOOK.contains(&&*node.op)
    }

    pub(crate) fn new(node: &Node, inputs: &[TfType], env: &Env) -> Result<StringMove> {
        let number = |t: &TfType| if *t == TfType::DtString { TfType::DtInt32 } else { *t };
        let mut numbers = node.clone();
        for (name, value) in node.attrs.iter() {
            match value {
                AttrValue::Type(TfType::DtString) => {
                    numbers.attrs.set(Arc::clone(name), AttrValue::Type(TfType::DtInt32));
                }
                AttrValue::List(AttrList::Types(types)) => {
                    let types = types.iter().map(number).collect();
                    numbers.attrs.set(Arc::clone(name), AttrValue::List(AttrList::Types(types)));
                }
                _ => {}
            }
        }
        numbers.output_types = node.output_types.iter().map(number).collect();
        let types: Vec<TfType> = inputs.iter().map(number).collect();
        let function = Arc::new(single_op_function(&numbers, &types)?);
        let constants = constant_inputs(&env.library, &function)?;
        let (compiler, library) = (Arc::clone(&env.local), Arc::clone(&env.library));
        let launch = XlaLaunch::new(compiler, library, function, constants, Vec::new());
        let strings = node.output_types.iter().map(|t| *t == TfType::DtString).collect();
        Ok(StringMove { launch, strings })
    }
}

impl Kernel for StringMove {
    fn run(&self, inputs: &[Value], context: &StepContext<'_>) -> Result<Vec<Value>> {
        let mut pool: Vec<&[u8]> = vec![&[]];
        let mut known: FxHashMap<&[u8], i32> = FxHashMap::default();
        known.insert(&[], 0);
        let mut numbers = Vec::with_capacity(inputs.len());
        for input in inputs {
            let Some(strings) = input.tensor()?.as_strings() else {
                numbers.push(input.clone());
                continue;
            };
            let mut places = Vec::with_capacity(strings.len());
            for text in strings {
                let next = i32::try_from(pool.len())
                    .map_err(|_| Error::resource_exhausted("too many strings"))?;
                let place = *known.entry(text).or_insert(next);
                if place == next {
                    pool.push(text);
                }
                places.push(place);
            }
            let shape = input.tensor()?.shape().clone();
            numbers.push(Value::Tensor(Tensor::from_slice(shape, &places)?));
        }
        let outputs = self.launch.run(&numbers, context)?;
        let back = |(value, is_string): (Value, &bool)| {
            if !is_string {
                return Ok(value);
            }
            let tensor = value.tensor()?;
            let places = tensor.to_i64s()?;
            let text = |place: i64| {
                let found = usize::try_from(place).ok().and_then(|place| pool.get(place));
                found.map(|text| text.to_vec()).ok_or_else(|| Error::internal("no such string"))
            };
            let strings = places.into_iter().map(text).collect::<Result<Vec<_>>>()?;
            Ok(Value::Tensor(Tensor::strings(tensor.shape().clone(), strings)?))
        };
        outputs.into_iter().zip(&self.strings).map(back).collect()
    }
}
