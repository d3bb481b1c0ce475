//! What flows along the edges of a graph while it runs.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use tfjit_base::{Error, Result, Tensor};

use crate::Variable;

/// Something behind a handle that is no variable: a tensor array, a table, a list in a variant.
pub trait Object: Any + Send + Sync + fmt::Debug {
    /// What it is, for errors: `TensorArray`.
    fn kind(&self) -> &'static str;
    /// Itself, for [`Value::object`].
    fn as_any(&self) -> &(dyn Any + Send + Sync);
}

/// A value while a program runs.
#[derive(Clone, Debug)]
pub enum Value {
    /// A tensor.
    Tensor(Tensor),
    /// A handle to a variable.
    Variable(Arc<Variable>),
    /// A handle to something else.
    Object(Arc<dyn Object>),
}

impl Value {
    /// The tensor.
    ///
    /// # Errors
    /// INVALID_ARGUMENT for a handle.
    pub fn tensor(&self) -> Result<&Tensor> {
        match self {
            Value::Tensor(t) => Ok(t),
            handle => Err(Error::invalid_argument(format!(
                "{} is a handle, not a tensor",
                handle.describe()
            ))),
        }
    }

    /// The variable.
    ///
    /// # Errors
    /// INVALID_ARGUMENT for anything else.
    pub fn variable(&self) -> Result<&Arc<Variable>> {
        match self {
            Value::Variable(v) => Ok(v),
            other => Err(Error::invalid_argument(format!(
                "a variable's handle is wanted, not {}",
                other.describe()
            ))),
        }
    }

    /// The object of type `T` behind the handle.
    ///
    /// # Errors
    /// INVALID_ARGUMENT when it is something else.
    pub fn object<T: Object>(&self) -> Result<&T> {
        let found = match self {
            Value::Object(object) => object.as_any().downcast_ref(),
            _ => None,
        };
        found.ok_or_else(|| {
            Error::invalid_argument(format!("the handle is of the wrong kind: {}", self.describe()))
        })
    }

    /// What it is in a few words, for errors.
    pub fn describe(&self) -> String {
        match self {
            Value::Tensor(t) => format!("a tensor {}{}", t.dtype(), t.shape()),
            Value::Variable(v) => format!("the variable {}", v.name()),
            Value::Object(object) => object.kind().to_owned(),
        }
    }
}

impl From<Tensor> for Value {
    fn from(tensor: Tensor) -> Value {
        Value::Tensor(tensor)
    }
}
