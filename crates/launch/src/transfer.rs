//! Transfers between a running program and the host, through the rendezvous of its step.
//!
//! A transfer's key is what TensorFlow's would be: both devices' full names, incarnation 1, and as
//! name the key of the launch's closure followed by the name that the program gives the transfer.
//! It must not know how programs run.

use std::fmt;
use std::sync::Arc;

use tfjit_base::{Error, Result, Tensor};
use tfjit_client::{TransferChannel, Transfers};
use tfjit_hlo::TensorType;
use tfjit_runtime::{DeviceName, Rendezvous, RendezvousKey, Sent, Value};

/// The incarnation that the keys of host transfers carry.
const INCARNATION: u64 = 1;

/// The host transfers of one launch.
pub struct RendezvousTransfers {
    rendezvous: Arc<Rendezvous>,
    device: DeviceName,
    host: DeviceName,
    base: String,
}

impl fmt::Debug for RendezvousTransfers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RendezvousTransfers({} of {})", self.base, self.device)
    }
}

/// The host's processor in the task of a device.
///
/// # Errors
/// INVALID_ARGUMENT when the device's name has no task.
fn host_of(device: &DeviceName) -> Result<DeviceName> {
    device.task_prefix()?;
    Ok(DeviceName { kind: Some("CPU".to_owned()), id: Some(0), ..device.clone() })
}

impl RendezvousTransfers {
    /// Transfers of a launch on `device`, a full name, whose closure has this key.
    ///
    /// # Errors
    /// INVALID_ARGUMENT when the device's name can't be read or names no task.
    pub fn new(
        rendezvous: Arc<Rendezvous>,
        device: &str,
        closure_key: &str,
    ) -> Result<RendezvousTransfers> {
        let device: DeviceName = device.parse()?;
        let host = host_of(&device)?;
        Ok(RendezvousTransfers { rendezvous, device, host, base: closure_key.to_owned() })
    }

    fn key(&self, channel: &TransferChannel, to_host: bool, i: usize, count: usize) -> String {
        let (source, target) = match to_host {
            true => (&self.device, &self.host),
            false => (&self.host, &self.device),
        };
        key(source, target, &self.base, &channel.rendezvous, i, count)
    }

    /// Calls `done` once with what the program is to receive on a channel, now or when it comes,
    /// or with an error.
    pub fn recv_then(
        &self,
        channel: &TransferChannel,
        ty: &TensorType,
        done: impl FnOnce(Result<Tensor>) + Send + 'static,
    ) {
        let (key, ty) = (self.key(channel, false, 0, 1), ty.clone());
        let text = key.clone();
        // The rendezvous calls back once, also when it fails or goes.
        let _waiting = self.rendezvous.recv_then(&key, move |sent| {
            done(sent.and_then(|sent| received(sent, &ty, &text)));
        });
    }

    /// Hands over what the program sends and calls `done` once, also when that fails.
    pub fn send_then(
        &self,
        channel: &TransferChannel,
        value: Tensor,
        done: impl FnOnce(Result<()>),
    ) {
        done(self.send(channel, vec![value]));
    }
}

/// The key of a value of a transfer; of several values each has its own.
fn key(
    source: &DeviceName,
    target: &DeviceName,
    base: &str,
    name: &str,
    i: usize,
    count: usize,
) -> String {
    let name = match count {
        1 => format!("{base}{name}"),
        _ => format!("{base}{name}_{i}"),
    };
    let (source, target) = (source.clone(), target.clone());
    let (incarnation, frame, iteration) = (INCARNATION, 0, 0);
    RendezvousKey { source, incarnation, target, name, frame, iteration }.to_string()
}

/// The tensor that was sent, which has the type the program wants.
fn received(sent: Sent, ty: &TensorType, key: &str) -> Result<Tensor> {
    let Sent::Value(value) = sent else {
        return Err(Error::invalid_argument(format!("{key} is dead, a program needs a value")));
    };
    let tensor = value.tensor()?;
    if tensor.dtype() != ty.dtype || *tensor.shape() != ty.shape()? {
        return Err(Error::invalid_argument(format!(
            "{key} is {}{}, the program receives {ty:?}",
            tensor.dtype(),
            tensor.shape()
        )));
    }
    Ok(tensor.clone())
}

impl Transfers for RendezvousTransfers {
    fn send(&self, channel: &TransferChannel, values: Vec<Tensor>) -> Result<()> {
        let count = values.len();
        for (i, value) in values.into_iter().enumerate() {
            let key = self.key(channel, true, i, count);
            self.rendezvous.send(&key, Sent::Value(Value::Tensor(value)))?;
        }
        Ok(())
    }

    fn recv(
        &self,
        channel: &TransferChannel,
        types: &[TensorType],
        stop: &dyn Fn() -> bool,
    ) -> Result<Vec<Tensor>> {
        let receive = |(i, ty): (usize, &TensorType)| {
            let key = self.key(channel, false, i, types.len());
            received(self.rendezvous.recv_unless(&key, stop)?, ty, &key)
        };
        types.iter().enumerate().map(receive).collect()
    }

    fn abort(&self, error: &Error) {
        self.rendezvous.abort(error);
    }
}

/// The host's side of a launch's transfers, which kernels of ops use.
#[derive(Clone, Debug)]
pub(crate) struct HostSide {
    device: DeviceName,
    host: DeviceName,
}

impl HostSide {
    /// The host's side towards a device of a type and number in the task of `near`, a device's name
    /// of which parts may be missing.
    pub(crate) fn new(near: &str, kind: &str, ordinal: u32) -> Result<HostSide> {
        let near: DeviceName = near.parse()?;
        let near = near.or(&DeviceName::local("CPU", 0));
        let device = DeviceName { kind: Some(kind.to_owned()), id: Some(ordinal), ..near };
        let host = host_of(&device)?;
        Ok(HostSide { device, host })
    }

    /// The key of what the program sends to the host.
    pub(crate) fn key_from_device(&self, base: &str, name: &str) -> String {
        key(&self.device, &self.host, base, name, 0, 1)
    }

    /// The key of what the host sends to the program.
    pub(crate) fn key_to_device(&self, base: &str, name: &str) -> String {
        key(&self.host, &self.device, base, name, 0, 1)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use tfjit_base::{Code, DType, Shape};

    use super::*;

    const DEVICE: &str = "/job:localhost/replica:0/task:0/device:GPU:1";

    fn channel(name: &str) -> TransferChannel {
        TransferChannel { handle: 1, rendezvous: name.to_owned() }
    }

    fn scalar() -> TensorType {
        TensorType::of(DType::I32, &Shape::scalar())
    }

    #[test]
    fn keys_are_tensorflows() {
        let rendezvous = Arc::new(Rendezvous::new());
        let transfers = RendezvousTransfers::new(Arc::clone(&rendezvous), DEVICE, "17_").unwrap();
        transfers.send(&channel("a"), vec![Tensor::scalar(5i32)]).unwrap();
        let cpu = "/job:localhost/replica:0/task:0/device:CPU:0";
        let key = format!("{DEVICE};0000000000000001;{cpu};17_a;0:0");
        let Sent::Value(value) = rendezvous.recv_unless(&key, || false).unwrap() else {
            panic!("dead")
        };
        assert_eq!(*value.tensor().unwrap(), Tensor::scalar(5i32));
        let key = format!("{cpu};0000000000000001;{DEVICE};17_b;0:0");
        rendezvous.send(&key, Sent::Value(Tensor::scalar(6i32).into())).unwrap();
        let got = transfers.recv(&channel("b"), &[scalar()], &|| false).unwrap();
        assert_eq!(got, [Tensor::scalar(6i32)]);
        let host = HostSide::new("", "GPU", 1).unwrap();
        assert_eq!(host.key_to_device("17_", "b"), key);
    }

    #[test]
    fn devices_without_a_task_are_refused() {
        for device in ["/device:CPU:0", "what"] {
            let result = RendezvousTransfers::new(Arc::new(Rendezvous::new()), device, "");
            assert_eq!(result.unwrap_err().code(), Code::InvalidArgument);
        }
    }

    #[test]
    fn done_is_called_once_whatever_happens() {
        let rendezvous = Arc::new(Rendezvous::new());
        let transfers = RendezvousTransfers::new(Arc::clone(&rendezvous), DEVICE, "").unwrap();
        let calls: Arc<Mutex<Vec<Result<Tensor>>>> = Arc::default();
        let note = || {
            let calls = Arc::clone(&calls);
            move |result| calls.lock().unwrap().push(result)
        };
        transfers.recv_then(&channel("late"), &scalar(), note());
        let key = transfers.key(&channel("wrong"), false, 0, 1);
        rendezvous.send(&key, Sent::Value(Tensor::scalar(1.5f32).into())).unwrap();
        transfers.recv_then(&channel("wrong"), &scalar(), note());
        transfers.abort(&Error::data_loss("gone"));
        transfers.recv_then(&channel("after"), &scalar(), note());
        let codes: Vec<Code> =
            calls.lock().unwrap().iter().map(|r| r.as_ref().unwrap_err().code()).collect();
        assert_eq!(codes, [Code::InvalidArgument, Code::DataLoss, Code::DataLoss]);
        let mut sent = 0;
        transfers.send_then(&channel("x"), Tensor::scalar(1i32), |result| {
            sent += 1;
            assert_eq!(result.unwrap_err().code(), Code::DataLoss);
        });
        assert_eq!(sent, 1);
    }
}
