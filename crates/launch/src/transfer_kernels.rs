//! Kernels of the ops on the host with which a running program exchanges values:
//! `_XlaRecvAtHost`, `_XlaSendFromHost` and their second versions.
//!
//! The first input that is text, `dynamic_key`, is the key of the launch that they belong to.

use tfjit_base::{Error, Result};
use tfjit_model::Node;
use tfjit_runtime::{Kernel, Sent, StepContext, Value};

use crate::transfer::HostSide;

/// The name of the `i`-th value that a program sends to the host under a key.
pub fn to_host_name(key: &str, i: usize) -> String {
    format!("{key}_dtoh_{i}")
}

/// The name of the `i`-th value that the host sends to a program under a key.
pub fn to_device_name(key: &str, i: usize) -> String {
    format!("{key}_htod_{i}")
}

/// The kernel of a node, if its op is one of these.
pub fn transfer_kernel(node: &Node) -> Option<Result<Box<dyn Kernel>>> {
    let (receives, second) = match &*node.op {
        "_XlaRecvAtHost" => (true, false),
        "_XlaRecvAtHostV2" => (true, true),
        "_XlaSendFromHost" => (false, false),
        "_XlaSendFromHostV2" => (false, true),
        _ => return None,
    };
    Some(make(node, receives, second).map_err(|error| error.at(&*node.name)))
}

fn make(node: &Node, receives: bool, second: bool) -> Result<Box<dyn Kernel>> {
    let ordinal = match second {
        true => None,
        false => Some(ordinal(node.attr_int("device_ordinal")?)?),
    };
    let end = End {
        near: node.device.to_string(),
        kind: node.attr_str("device_type")?.to_owned(),
        ordinal,
        key: node.attr_str("key")?.to_owned(),
    };
    // What can't be a device is refused before anything runs.
    HostSide::new(&end.near, &end.kind, ordinal.unwrap_or(0))?;
    Ok(match receives {
        true => Box::new(RecvAtHost { end, count: node.attr_types("Toutputs")?.len() }),
        false => Box::new(SendFromHost { end, count: node.attr_types("Tinputs")?.len() }),
    })
}

fn ordinal(number: i64) -> Result<u32> {
    u32::try_from(number)
        .map_err(|_| Error::invalid_argument(format!("there is no device number {number}")))
}

/// One side of a transfer, as a node describes it.
#[derive(Debug)]
struct End {
    near: String,
    kind: String,
    /// Nothing when it is the last input.
    ordinal: Option<u32>,
    key: String,
}

impl End {
    /// The host's side and the launch's key, out of the inputs that follow the values.
    fn side(&self, inputs: &[Value]) -> Result<(HostSide, String)> {
        let missing = || Error::invalid_argument("the launch's key is missing");
        let dynamic = inputs.first().ok_or_else(missing)?.tensor()?;
        let base = match dynamic.as_strings() {
            Some([text, ..]) => String::from_utf8_lossy(text).into_owned(),
            _ => return Err(missing()),
        };
        let ordinal = match (self.ordinal, inputs.get(1)) {
            (Some(known), _) => known,
            (None, Some(given)) => {
                ordinal(given.tensor()?.to_i64s()?.first().copied().unwrap_or(-1))?
            }
            (None, None) => return Err(Error::invalid_argument("the device's number is missing")),
        };
        Ok((HostSide::new(&self.near, &self.kind, ordinal)?, base))
    }
}

#[derive(Debug)]
struct RecvAtHost {
    end: End,
    count: usize,
}

impl Kernel for RecvAtHost {
    fn run(&self, inputs: &[Value], context: &StepContext<'_>) -> Result<Vec<Value>> {
        let (side, base) = self.end.side(inputs)?;
        let mut values = Vec::with_capacity(self.count);
        for i in 0..self.count {
            let key = side.key_from_device(&base, &to_host_name(&self.end.key, i));
            match context.step.rendezvous().recv(&key, context)? {
                Sent::Value(value) => values.push(value),
                Sent::Dead => return Err(Error::internal(format!("{key} is dead"))),
            }
        }
        Ok(values)
    }

    fn blocks(&self) -> bool {
        true
    }
}

#[derive(Debug)]
struct SendFromHost {
    end: End,
    count: usize,
}

impl Kernel for SendFromHost {
    fn run(&self, inputs: &[Value], context: &StepContext<'_>) -> Result<Vec<Value>> {
        let (values, rest) = inputs
            .split_at_checked(self.count)
            .ok_or_else(|| Error::invalid_argument("there are too few values to send"))?;
        let (side, base) = self.end.side(rest)?;
        for (i, value) in values.iter().enumerate() {
            let key = side.key_to_device(&base, &to_device_name(&self.end.key, i));
            context.step.rendezvous().send(&key, Sent::Value(value.clone()))?;
        }
        Ok(Vec::new())
    }
}
