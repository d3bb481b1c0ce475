//! What processes tell each other, and its form as bytes.
//!
//! All numbers are little-endian. Bytes that came over a network are hostile: reading them gives an
//! error, never a panic or an allocation beyond their length.

use tfjit_base::{Code, DType, Error, Result, Shape, Tensor, limits};
use tfjit_client::{Meeting, Member};

/// A message of one launch.
#[derive(Clone, PartialEq, Debug)]
pub struct Message {
    /// The launch: its run id, and which of those with this id.
    pub run: (u64, u64),
    /// What it says.
    pub body: Body,
}

/// What a message says.
#[derive(Clone, PartialEq, Debug)]
pub enum Body {
    /// The operands that the sender brings to a collective: its operation, channel and members.
    Meet(String, i64, Vec<Member>, Vec<Tensor>),
    /// Tensors on a channel.
    Channel(i64, Vec<Tensor>),
    /// The sender's launch is over.
    Ended,
    /// The sender's launch failed.
    Failed(Code, String),
    /// The sender will send nothing more.
    Bye,
}

impl Message {
    /// The operands of a member at a meeting.
    pub fn meet(run: (u64, u64), meeting: &Meeting, operands: Vec<Tensor>) -> Message {
        let (kind, members) = (meeting.kind.to_owned(), meeting.members.clone());
        Message { run, body: Body::Meet(kind, meeting.channel, members, operands) }
    }

    /// As bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Vec::new();
        out.extend(self.run.0.to_le_bytes());
        out.extend(self.run.1.to_le_bytes());
        match &self.body {
            Body::Meet(kind, channel, members, operands) => {
                out.push(0);
                put_text(&mut out, kind);
                out.extend(channel.to_le_bytes());
                out.extend((members.len() as u64).to_le_bytes());
                for member in members {
                    out.extend(member.replica.to_le_bytes());
                    out.extend(member.partition.to_le_bytes());
                }
                put_tensors(&mut out, operands);
            }
            Body::Channel(channel, values) => {
                out.push(1);
                out.extend(channel.to_le_bytes());
                put_tensors(&mut out, values);
            }
            Body::Ended => out.push(2),
            Body::Failed(code, text) => {
                out.push(3);
                out.push(*code as u8);
                put_text(&mut out, text);
            }
            Body::Bye => out.push(4),
        }
        out
    }

    /// Out of bytes.
    ///
    /// # Errors
    /// DATA_LOSS when they are not what [`Message::to_bytes`] makes.
    pub fn from_bytes(bytes: &[u8]) -> Result<Message> {
        let mut from = Reader(bytes);
        let run = (from.number()?, from.number()?);
        let body = match from.byte()? {
            0 => {
                let (kind, channel) = (from.text()?, from.number()? as i64);
                let count = from.count(8)?;
                let mut members = Vec::with_capacity(count);
                for _ in 0..count {
                    let (replica, partition) = (from.half()?, from.half()?);
                    members.push(Member { replica, partition });
                }
                Body::Meet(kind, channel, members, from.tensors()?)
            }
            1 => Body::Channel(from.number()? as i64, from.tensors()?),
            2 => Body::Ended,
            3 => {
                let code = Code::from_number(u32::from(from.byte()?)).ok_or_else(damaged)?;
                Body::Failed(code, from.text()?)
            }
            4 => Body::Bye,
            _ => return Err(damaged()),
        };
        if from.0.is_empty() { Ok(Message { run, body }) } else { Err(damaged()) }
    }
}

fn damaged() -> Error {
    Error::data_loss("a message of another process is damaged")
}

fn put_text(out: &mut Vec<u8>, text: &str) {
    out.extend((text.len() as u64).to_le_bytes());
    out.extend(text.as_bytes());
}

fn put_tensors(out: &mut Vec<u8>, tensors: &[Tensor]) {
    out.extend((tensors.len() as u64).to_le_bytes());
    for tensor in tensors {
        put_text(out, tensor.dtype().name());
        out.extend((tensor.shape().rank() as u64).to_le_bytes());
        for &extent in tensor.shape().dims() {
            out.extend((extent as u64).to_le_bytes());
        }
        out.extend(tensor.bytes());
    }
}

/// What is left of a message.
struct Reader<'b>(&'b [u8]);

impl<'b> Reader<'b> {
    fn take(&mut self, count: usize) -> Result<&'b [u8]> {
        let (taken, rest) = self.0.split_at_checked(count).ok_or_else(damaged)?;
        self.0 = rest;
        Ok(taken)
    }

    fn byte(&mut self) -> Result<u8> {
        Ok(self.take(1)?[0])
    }

    fn half(&mut self) -> Result<u32> {
        let bytes = self.take(4)?.try_into().map_err(|_| damaged())?;
        Ok(u32::from_le_bytes(bytes))
    }

    fn number(&mut self) -> Result<u64> {
        let bytes = self.take(8)?.try_into().map_err(|_| damaged())?;
        Ok(u64::from_le_bytes(bytes))
    }

    /// A number of things of which each takes so many bytes at least.
    fn count(&mut self, each: usize) -> Result<usize> {
        let count = usize::try_from(self.number()?).map_err(|_| damaged())?;
        let fits = count.checked_mul(each).is_some_and(|bytes| bytes <= self.0.len());
        if fits { Ok(count) } else { Err(damaged()) }
    }

    fn text(&mut self) -> Result<String> {
        let count = self.count(1)?;
        String::from_utf8(self.take(count)?.to_vec()).map_err(|_| damaged())
    }

    fn tensors(&mut self) -> Result<Vec<Tensor>> {
        let count = self.count(16)?;
        (0..count).map(|_| self.tensor()).collect()
    }

    fn tensor(&mut self) -> Result<Tensor> {
        let name = self.text()?;
        let dtype = DType::ALL.into_iter().find(|dtype| dtype.name() == name);
        let dtype = dtype.filter(|dtype| dtype.size() > 0).ok_or_else(damaged)?;
        let rank = self.count(8)?;
        if rank > limits::RANK_MAX {
            return Err(damaged());
        }
        let mut dims = Vec::with_capacity(rank);
        for _ in 0..rank {
            dims.push(usize::try_from(self.number()?).map_err(|_| damaged())?);
        }
        let shape = Shape::new(&dims);
        let bytes = shape.checked_elements().ok().and_then(|n| n.checked_mul(dtype.size()));
        let raw = self.take(bytes.ok_or_else(damaged)?)?;
        Tensor::from_raw(dtype, shape, raw)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all() -> Vec<Message> {
        let vector = Tensor::from_slice(Shape::new(&[3]), &[1.5f32, -2.0, 0.0]).unwrap();
        let tensors = vec![vector, Tensor::scalar(7i64)];
        let members = vec![Member::default(), Member { replica: 1, partition: 2 }];
        let bodies = [
            Body::Meet("all_reduce".to_owned(), -5, members, tensors.clone()),
            Body::Channel(9, tensors),
            Body::Ended,
            Body::Failed(Code::DataLoss, "gone".to_owned()),
            Body::Bye,
        ];
        bodies.into_iter().map(|body| Message { run: (3, 1), body }).collect()
    }

    #[test]
    fn messages_come_back() {
        for message in all() {
            assert_eq!(Message::from_bytes(&message.to_bytes()).unwrap(), message);
        }
    }

    #[test]
    fn damaged_messages_are_errors() {
        for message in all() {
            let bytes = message.to_bytes();
            for end in 0..bytes.len() {
                assert!(Message::from_bytes(&bytes[..end]).is_err());
            }
            for at in 0..bytes.len() {
                let mut bytes = bytes.clone();
                bytes[at] ^= 0xff;
                // Whatever it means now, it is read without harm.
                let _ = Message::from_bytes(&bytes);
            }
        }
    }
}
