//! A signature: named inputs, named outputs, and what runs between them.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use tfjit_base::{DType, Error, PartialShape, Result, Tensor};
use tfjit_cluster::Clustered;
use tfjit_hlo::Module;
use tfjit_launch::{Assembled, Times, XlaLaunch, assemble};
use tfjit_model::{Endpoint, Function, TfType};
use tfjit_runtime::{StepContext, StepState, Value, Writes, host_kernel};

use crate::{RunFuture, Session, feeds};

/// Name, type and shape of an input or output.
#[derive(Clone, Debug, PartialEq)]
pub struct TensorSpec {
    /// The key of a signature, or the tensor's name.
    pub name: String,
    /// The declared type.
    pub tftype: TfType,
    /// What is known of the shape.
    pub shape: PartialShape,
}

impl TensorSpec {
    /// The element type; `None` for resources and variants.
    pub fn dtype(&self) -> Option<DType> {
        tfjit_model::dtype(self.tftype)
    }

    /// The type's name: `f32`, or TensorFlow's name for what holds no elements.
    pub fn type_name(&self) -> &'static str {
        self.dtype().map_or_else(|| tfjit_model::tf_name(self.tftype), DType::name)
    }
}

/// The results of a run.
#[derive(Clone, Debug)]
pub struct Outputs {
    /// Names and values, in the order of the signature.
    pub values: Vec<(Arc<str>, Tensor)>,
    /// Where the time of this run went.
    pub times: Times,
}

impl Outputs {
    /// Names and values with names of their own.
    pub fn named(&self) -> Vec<(String, Tensor)> {
        self.values.iter().map(|(name, value)| (name.to_string(), value.clone())).collect()
    }

    /// The output called `name`.
    pub fn get(&self, name: &str) -> Option<&Tensor> {
        self.values.iter().find(|(n, _)| **n == *name).map(|(_, t)| t)
    }
}

/// One way to call a model.
#[derive(Clone, Debug)]
pub struct Signature {
    session: Session,
    function: Arc<Function>,
    assembled: Arc<Assembled>,
    inputs: Vec<TensorSpec>,
    outputs: Vec<TensorSpec>,
    /// Names of the outputs.
    names: Arc<[Arc<str>]>,
    defaults: Vec<(String, Tensor)>,
}

impl Signature {
    pub(crate) fn new(
        session: &Session,
        function: Function,
        defaults: Vec<(String, Tensor)>,
    ) -> Result<Signature> {
        let library = &session.inner.model.raw().library;
        session.inner.resources.thaw(&Writes::of(library, &function));
        let spec = |name: &Arc<str>, tftype, shape: &PartialShape| TensorSpec {
            name: name.to_string(),
            tftype,
            shape: shape.clone(),
        };
        let inputs = function.params.iter().map(|p| spec(&p.name, p.tftype, &p.shape)).collect();
        let outputs: Vec<TensorSpec> =
            function.results.iter().map(|r| spec(&r.name, r.tftype, &r.shape)).collect();
        let assembled = assemble(&function, &session.inner.environment)?;
        Ok(Signature {
            session: session.clone(),
            function: Arc::new(function),
            assembled: Arc::new(assembled),
            inputs,
            names: outputs.iter().map(|spec| Arc::from(spec.name.as_str())).collect(),
            outputs,
            defaults,
        })
    }

    /// The inputs.
    pub fn inputs(&self) -> &[TensorSpec] {
        &self.inputs
    }

    /// The outputs.
    pub fn outputs(&self) -> &[TensorSpec] {
        &self.outputs
    }

    /// The function behind the signature.
    pub fn function(&self) -> &Function {
        &self.function
    }

    /// Runs with named inputs.
    ///
    /// # Errors
    /// INVALID_ARGUMENT for a missing, unknown or unfitting input; what the model itself reports,
    /// naming the node. Variables keep their values then.
    pub fn run(&self, feeds: &[(&str, Tensor)]) -> Result<Outputs> {
        self.run_with(feeds, None)
    }

    /// As [`Signature::run`], stopping soon after `cancel` is raised.
    ///
    /// # Errors
    /// As [`Signature::run`]; CANCELLED.
    pub fn run_with(
        &self,
        feeds: &[(&str, Tensor)],
        cancel: Option<Arc<AtomicBool>>,
    ) -> Result<Outputs> {
        let arguments = feeds::arrange(&self.inputs, &self.defaults, feeds)?;
        let before = self.session.times();
        let step = StepState::new();
        let context = StepContext {
            cancel: cancel.as_ref(),
            threads: self.session.inner.threads,
            functions: Some(&self.session.inner.environment),
            ..StepContext::new(&self.session.inner.resources, &step)
        };
        let results = self.assembled.program.run_with(&arguments, &context)?;
        let mut named = Vec::with_capacity(results.len());
        for ((value, spec), name) in results.into_iter().zip(&self.outputs).zip(self.names.iter()) {
            let tensor = match value {
                Value::Tensor(t) => t,
                Value::Variable(v) => v.value().ok_or_else(|| {
                    Error::failed_precondition(format!("variable {} is uninitialized", v.name()))
                })?,
                Value::Object(object) => {
                    return Err(Error::invalid_argument(format!(
                        "output \"{}\" is a {}, which is no tensor",
                        spec.name,
                        object.kind()
                    )));
                }
            };
            named.push((Arc::clone(name), tensor));
        }
        Ok(Outputs { values: named, times: self.session.times() - before })
    }

    /// Begins a run on another thread. Runs of one session that are begun in order may end in any.
    ///
    /// # Errors
    /// RESOURCE_EXHAUSTED when there is no thread for it. All else is the result of the run.
    pub fn run_async(&self, feeds: Vec<(String, Tensor)>) -> Result<RunFuture> {
        let cancel: Arc<AtomicBool> = Arc::default();
        let (future, promise) = RunFuture::new(Arc::clone(&cancel));
        let signature = self.clone();
        let job = move || {
            let feeds: Vec<(&str, Tensor)> =
                feeds.iter().map(|(name, t)| (name.as_str(), t.clone())).collect();
            promise.fulfil(signature.run_with(&feeds, Some(cancel)));
        };
        self.session.inner.runs.run(Box::new(job))?;
        Ok(future)
    }

    /// What runs where, and why, as text.
    pub fn explain(&self) -> String {
        self.assembled.clustered.explain(&self.function)
    }

    /// Clusters and host nodes of the signature.
    pub fn clustered(&self) -> &Clustered {
        &self.assembled.clustered
    }

    /// The optimised programs of the clusters for these inputs, by cluster. Only the first launch
    /// is reached without running anything, so later ones need a single cluster before them.
    ///
    /// # Errors
    /// As [`Signature::run`].
    pub fn programs(&self, feeds: &[(&str, Tensor)]) -> Result<Vec<Module>> {
        let inner = &self.session.inner;
        let library = &inner.model.raw().library;
        let launches = self.assembled.launches.iter().zip(&self.assembled.clustered.clusters);
        let mut modules = Vec::new();
        for ((launch, cluster), inputs) in launches.zip(self.launch_inputs(feeds)?) {
            let args = launch.arguments(&inputs?)?;
            modules.push(inner.compiler.program(library, &cluster.function, &args)?.module);
        }
        Ok(modules)
    }

    /// Compiles the clusters for these inputs, as far as they are reached without running
    /// anything, and returns for each the text of a stage (`plan`, `kernels`, `asm`, `explain`), if
    /// there is one. The session must keep texts, see [`Options::keep_text`](crate::Options).
    ///
    /// # Errors
    /// INVALID_ARGUMENT for inputs that don't fit. What keeps one cluster from being compiled is
    /// the error in its place.
    pub fn texts(
        &self,
        feeds: &[(&str, Tensor)],
        stage: &str,
    ) -> Result<Vec<Result<Option<String>>>> {
        let inputs = self.launch_inputs(feeds)?;
        let text = |(launch, inputs): (&Arc<XlaLaunch>, Result<Vec<Value>>)| {
            Ok(launch.compiled(&inputs?)?.executable.text(stage))
        };
        Ok(self.assembled.launches.iter().zip(inputs).map(text).collect())
    }

    /// What each launch is given, as far as that is known without running another.
    fn launch_inputs(&self, feeds: &[(&str, Tensor)]) -> Result<Vec<Result<Vec<Value>>>> {
        let arguments = feeds::arrange(&self.inputs, &self.defaults, feeds)?;
        let resources = &self.session.inner.resources;
        let value = |endpoint: &Endpoint| {
            let fed = self.function.params.iter().position(|p| p.node == endpoint.node);
            match (fed, self.function.graph.get(endpoint.node)) {
                (Some(i), _) => Ok(arguments[i].clone()),
                (None, Some(node)) if node.inputs.is_empty() => {
                    let step = StepState::new();
                    let context = StepContext::new(resources, &step);
                    let mut values = host_kernel(node)?.run(&[], &context)?;
                    Ok(values.swap_remove(endpoint.output as usize))
                }
                (None, Some(node)) => Err(Error::failed_precondition(
                    "what a launch is given is known only when others have run",
                )
                .at(&*node.name)),
                (None, None) => Err(Error::internal("an input of a cluster is gone")),
            }
        };
        let clusters = self.assembled.clustered.clusters.iter();
        Ok(clusters.map(|cluster| cluster.inputs.iter().map(value).collect()).collect())
    }
}
