//! What an output of a TensorFlow node is while its function is lowered.

use tfjit_base::Tensor;
use tfjit_hlo::ValueId;

/// The symbolic value of a node's output.
#[derive(Clone, Debug)]
pub enum TfValue {
    /// A tensor computed by the program.
    Tensor(ValueId),
    /// A variable: position in the list of variables of the lowering.
    Variable(usize),
    /// A constant that HLO can't hold (strings); usable by asserts and the like.
    Host(Tensor),
    /// A tensor list.
    List(TensorList),
    /// The output of a node that returns nothing usable (a no-op's flow value).
    Nothing,
}

/// A tensor list in the program: a buffer with a leading list dimension and the list's length.
#[derive(Clone, Debug)]
pub struct TensorList {
    /// `[capacity, element dims…]`; `None` until the element shape is known.
    pub buffer: Option<ValueId>,
    /// A scalar `i32`: number of elements in use.
    pub length: ValueId,
    /// Number of elements the buffer can hold.
    pub capacity: usize,
    /// Element type.
    pub dtype: tfjit_base::DType,
}
