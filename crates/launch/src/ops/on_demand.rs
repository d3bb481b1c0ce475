//! The kernel of a single op that is compiled when it runs (`_XlaCompileOnDemand` in TensorFlow).
//!
//! It is a launch of a function of one op, in strict mode: an op has one implementation, whether
//! it runs alone or in a cluster. Variables stay locked from compiling to writing back only in
//! the sense of [`XlaLaunch`]: types are checked again under the locks that the run holds.

use std::sync::Arc;

use tfjit_base::Result;
use tfjit_model::{FunctionLibrary, Node, TfType};
use tfjit_runtime::{Kernel, StepContext, Value};

use super::XlaLaunch;
use crate::DeviceCompiler;
use crate::args::Cluster;
use crate::single_op::{constant_inputs, single_op_function};

/// The kernel.
#[derive(Debug)]
pub struct XlaCompileOnDemand {
    launch: XlaLaunch,
}

impl XlaCompileOnDemand {
    /// A kernel for `node`, whose inputs have these types.
    ///
    /// # Errors
    /// INTERNAL when the node is not sound.
    pub fn new(
        compiler: Arc<DeviceCompiler>,
        library: Arc<FunctionLibrary>,
        node: &Node,
        inputs: &[TfType],
    ) -> Result<XlaCompileOnDemand> {
        let function = Arc::new(single_op_function(node, inputs)?);
        let constants = constant_inputs(&library, &function)?;
        let is_resource = |i: &usize| inputs[*i] == TfType::DtResource;
        let resources = (0..inputs.len()).filter(is_resource).collect();
        let cluster = Cluster::new(library, function, constants, resources)?;
        Ok(XlaCompileOnDemand { launch: XlaLaunch::of(compiler, cluster) })
    }
}

impl Kernel for XlaCompileOnDemand {
    fn run(&self, inputs: &[Value], context: &StepContext<'_>) -> Result<Vec<Value>> {
        self.launch.run(inputs, context)
    }
}
