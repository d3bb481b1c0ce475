//! Sends and receives between graphs of one step, through its rendezvous.

use tfjit_base::{Error, Result};
use tfjit_model::Node;

use super::HostRow;
use crate::{DeviceName, Kernel, RendezvousKey, Sent, StepContext, Value};

pub(super) const ROWS: &[HostRow] = &[
    HostRow { name: "_HostRecv", doc: "what another graph of the step sends", make: make_recv },
    HostRow { name: "_HostSend", doc: "a value for another graph of the step", make: make_send },
    HostRow { name: "_Recv", doc: "what another graph of the step sends", make: make_recv },
    HostRow { name: "_Send", doc: "a value for another graph of the step", make: make_send },
];

/// All of a key but frame and iteration.
#[derive(Debug)]
struct Name {
    source: DeviceName,
    incarnation: u64,
    target: DeviceName,
    name: String,
}

impl Name {
    fn of(node: &Node) -> Result<Name> {
        let device = |attr: &str| -> Result<DeviceName> {
            let name: DeviceName = node.attr_str(attr)?.parse()?;
            // A device that is named in part is one of this process.
            Ok(name.or(&DeviceName::local("CPU", 0)))
        };
        let name = node.attr_str("tensor_name")?;
        if name.is_empty() || name.contains(';') {
            return Err(
                Error::invalid_argument(format!("'{name}' is no name for a value")).at(&*node.name)
            );
        }
        Ok(Name {
            source: device("send_device").map_err(|e| e.at(&*node.name))?,
            incarnation: node.attr_int("send_device_incarnation")? as u64,
            target: device("recv_device").map_err(|e| e.at(&*node.name))?,
            name: name.to_owned(),
        })
    }

    fn key(&self, context: &StepContext<'_>) -> String {
        let (frame, iteration) = context.frame;
        let Name { source, incarnation, target, name } = self;
        let (source, target, name) = (source.clone(), target.clone(), name.clone());
        let incarnation = *incarnation;
        RendezvousKey { source, incarnation, target, name, frame, iteration }.to_string()
    }
}

#[derive(Debug)]
struct Send(Name);

impl Kernel for Send {
    fn run(&self, inputs: &[Value], context: &StepContext<'_>) -> Result<Vec<Value>> {
        let value = inputs.first().ok_or_else(|| Error::internal("nothing to send"))?;
        context.step.rendezvous().send(&self.0.key(context), Sent::Value(value.clone()))?;
        Ok(Vec::new())
    }
    fn transfers(&self) -> bool {
        true
    }
    fn run_dead(&self, context: &StepContext<'_>) -> Result<()> {
        context.step.rendezvous().send(&self.0.key(context), Sent::Dead)
    }
}

fn make_send(node: &Node) -> Result<Box<dyn Kernel>> {
    Ok(Box::new(Send(Name::of(node)?)))
}

#[derive(Debug)]
struct Recv(Name);

impl Kernel for Recv {
    fn run(&self, _: &[Value], context: &StepContext<'_>) -> Result<Vec<Value>> {
        match context.step.rendezvous().recv(&self.0.key(context), context)? {
            Sent::Value(value) => Ok(vec![value]),
            Sent::Dead => Ok(Vec::new()),
        }
    }
    fn transfers(&self) -> bool {
        true
    }
    fn blocks(&self) -> bool {
        true
    }
}

fn make_recv(node: &Node) -> Result<Box<dyn Kernel>> {
    Ok(Box::new(Recv(Name::of(node)?)))
}
