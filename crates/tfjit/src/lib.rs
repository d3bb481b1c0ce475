//! Loads TensorFlow programs without TensorFlow, compiles them just in time and launches them.
//!
//! A [`Model`] is what a file holds; a [`Session`] is its variables and a compiler; a [`Signature`]
//! is one way to call it.
//!
//! ```no_run
//! use tfjit::{Model, Options, Shape, Tensor};
//! let model = Model::read("path/to/saved_model".as_ref(), &Default::default())?;
//! let session = model.session(&Options::default())?;
//! let signature = session.signature("serving_default")?;
//! let x = Tensor::from_slice(Shape::new(&[1, 3]), &[1.0f32, 2.0, 3.0])?;
//! let outputs = signature.run(&[("x", x)])?;
//! for (name, value) in &outputs.values {
//!     println!("{name}: {:?}", value);
//! }
//! # Ok::<(), tfjit::Error>(())
//! ```
//!
//! This crate must not know any protocol, file format or command line.

mod backend;
mod feeds;
mod future;
mod model;
mod options;
mod program;
mod session;
mod signature;

pub use backend::{Backend, client_fingerprint};
pub use future::RunFuture;
pub use model::Model;
pub use options::Options;
pub use program::{compile_module, launch_module, module_text, run_module};
pub use session::Session;
pub use signature::{Outputs, Signature, TensorSpec};
pub use tfjit_base::{
    Code, Complex, DType, Element, Error, PartialShape, Result, Shape, Tensor, bf16, f16,
};
pub use tfjit_client::{Executable, Memory, StepInfo};
pub use tfjit_launch::trace::Recording;
pub use tfjit_launch::{
    CacheStats, CompileMode, Observer, Profiler, ProgramProfile, StepProfile, Times, program_text,
};
pub use tfjit_launch::{flags, listener, metrics, persist};
pub use tfjit_local::EvalClient;
pub use tfjit_model::{ReadOptions, SignatureDef, TensorInfo, TfType};
