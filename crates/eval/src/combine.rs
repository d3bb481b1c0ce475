//! Instructions that run a region once an element: reductions, sorts, scatters, maps.

use tfjit_base::{DType, Error, Result, Tensor};
use tfjit_hlo::{BlockId, InstId, Op, TensorType, Type, ValueId};

use crate::convert::convert;
use crate::inst::exact_types;
use crate::interpreter::{Frame, Run, owned_types};
use crate::reduce::{cells_to_tensor, reduce};
use crate::reducer::{Cell, Reducer};
use crate::{Value, flush, region, sort};

/// Everything an instruction with regions over scalars needs.
struct Parts {
    operands: Vec<Tensor>,
    types: Vec<TensorType>,
}

impl<'r> Run<'r, '_> {
    /// A region over scalars as something to call: compiled when it is made of elementwise
    /// instructions, run like a function otherwise.
    pub(crate) fn reducer(&self, frame: &Frame<'r>, block: BlockId) -> Reducer<'r>
    where
        Self: 'r,
    {
        let func = frame.func;
        let data = &func.blocks[block];
        let captured = |value: ValueId| match frame.get(value) {
            Ok(Value::Tensor(tensor)) => Cell::at(tensor, 0).ok(),
            _ => None,
        };
        let flush = self.mode().flush_subnormals;
        if let Some(mut program) = region::compile(func, data, &captured, flush) {
            let shortcut = if flush { None } else { region::shortcut(func, data) };
            return Reducer::new(
                shortcut,
                Box::new(move |arguments, results| {
                    program.call(arguments, results);
                    Ok(())
                }),
            );
        }
        let (mut run, mut frame) = (self.clone(), frame.clone());
        let dtypes: Vec<Option<DType>> =
            data.params.iter().map(|&p| func.tensor_ty(p).map(|ty| ty.dtype)).collect();
        Reducer::new(
            None,
            Box::new(move |arguments, results| {
                let scalar = |(cell, dtype): (&Cell, &Option<DType>)| match dtype {
                    Some(dtype) => Ok(Value::Tensor(cell.to_tensor(*dtype)?)),
                    None => Err(Error::invalid_argument("a region over scalars takes no tokens")),
                };
                let args = arguments.iter().zip(&dtypes).map(scalar).collect::<Result<_>>()?;
                let values = run.block(&mut frame, block, args)?;
                if values.len() != results.len() {
                    return Err(Error::invalid_argument("a region returns too few values"));
                }
                for (result, value) in results.iter_mut().zip(&values) {
                    *result = Cell::at(value.tensor()?, 0)?;
                }
                Ok(())
            }),
        )
    }

    /// Runs an instruction with regions over scalars.
    pub(crate) fn with_region(&mut self, frame: &mut Frame<'r>, inst: InstId) -> Result<Vec<Value>>
    where
        Self: 'r,
    {
        let func = frame.func;
        let data = &func.insts[inst];
        let values = self.operands(frame, inst)?;
        let mut operands = Vec::new();
        for value in values {
            let tensor = value.tensor()?;
            let flushes = self.mode().flush_subnormals && flush::flushes(&data.op);
            operands.push(if flushes { flush::tensor(tensor)? } else { tensor.clone() });
        }
        let parts = Parts { operands, types: owned_types(func, &data.results)? };
        let mut reducers: Vec<Reducer<'_>> =
            data.regions.iter().map(|&block| self.reducer(frame, block)).collect();
        let params = data.regions.first().map_or(&[][..], |&b| &func.blocks[b].params[..]);
        let params: Vec<&Type> = params.iter().map(|&p| func.ty(p)).collect();
        let results = parts.eval(&data.op, &mut reducers, &params)?;
        Ok(results.into_iter().map(Value::Tensor).collect())
    }
}

impl Parts {
    fn eval(
        mut self,
        op: &Op,
        reducers: &mut [Reducer<'_>],
        params: &[&Type],
    ) -> Result<Vec<Tensor>> {
        let missing = || Error::invalid_argument(format!("{} has no region", op.row().name));
        if matches!(op, Op::Reduce { .. } | Op::ReduceWindow(_)) {
            self.promote(params)?;
        }
        let operands: Vec<&Tensor> = self.operands.iter().collect();
        let half = operands.len() / 2;
        let (Some(first), rest) =
            (reducers.split_first_mut()).map_or((None, None), |(a, b)| (Some(a), b.first_mut()))
        else {
            return Err(missing());
        };
        match op {
            Op::Map { .. } => Ok(vec![map(&operands, first, &self.types)?]),
            Op::Reduce { dimensions } => {
                reduce(&operands[..half], &operands[half..], dimensions, first)
            }
            Op::Sort { dimension, .. } => sort::sort(&operands, *dimension, first),
            op => {
                let types = exact_types(op, &operands, &self.types)?;
                crate::library::eval_region(op, &operands, first, rest, &types)
            }
        }
    }

    /// Converts operands to the element types of the region, which may be wider.
    fn promote(&mut self, params: &[&Type]) -> Result<()> {
        let n = self.operands.len() / 2;
        for (i, operand) in self.operands.iter_mut().enumerate() {
            let param = params.get(i % n.max(1)).and_then(|ty| ty.as_tensor());
            if let Some(ty) = param.filter(|ty| ty.quant.is_none() && ty.dtype != operand.dtype()) {
                *operand = convert(operand, ty.dtype)?;
            }
        }
        Ok(())
    }
}

/// The region applied to the elements at each position.
fn map(operands: &[&Tensor], reducer: &mut Reducer<'_>, types: &[TensorType]) -> Result<Tensor> {
    let (Some(first), Some(ty)) = (operands.first(), types.first()) else {
        return Err(Error::invalid_argument("nothing to map"));
    };
    if operands.iter().any(|x| x.shape() != first.shape()) {
        return Err(Error::invalid_argument("the operands of map differ in shape"));
    }
    let mut arguments = vec![Cell::default(); operands.len()];
    let mut cells = Vec::new();
    for i in 0..first.elements() {
        for (argument, x) in arguments.iter_mut().zip(operands) {
            *argument = Cell::at(x, i)?;
        }
        let mut result = [Cell::default()];
        reducer.call(&arguments, &mut result)?;
        cells.extend(result);
    }
    cells_to_tensor(ty.dtype, first.shape(), cells.iter())
}
