//! `explain`: what is compiled, what is not and why.

use std::collections::BTreeMap;
use std::path::Path;

use tfjit::Signature;
use tfjit_base::ids::Id;
use tfjit_cluster::{Item, Place};

use super::program;
use super::stages::Stages;
use super::subject::{Choice, Inputs, Subject, options};
use crate::args::{ExplainArgs, InputArgs};
use crate::console::{Console, Style};
use crate::failure::Failure;
use crate::table::{Align, Table, count_text};

/// Explains the signature that was named.
///
/// # Errors
/// Those of reading, clustering and lowering, and of writing to stdout.
pub(super) fn explain(args: &ExplainArgs, console: &mut Console) -> Result<(), Failure> {
    let path: &Path = &args.model;
    if program::is_program(path) {
        // A program is one cluster; what it is made of is its text.
        return program::read(path)?.iter().try_for_each(|m| console.print(m.to_string()));
    }
    let inputs = Inputs::parse(
        &InputArgs {
            shape: args.shape.clone(),
            image_scale: "0..1".to_owned(),
            ..InputArgs::default()
        },
        console,
    )?;
    let choice = Choice {
        path,
        tags: args.tags.as_deref(),
        signature: args.signature.as_deref(),
        feeds: &args.feeds,
        fetches: &args.fetches,
    };
    let subject = Subject::read(&choice, console)?;
    let stages = Stages::new(&args.stage)?;
    let mut options = options(&args.engine, None);
    options.observer = stages.observer();
    if stages.read(&subject, console)? {
        return Ok(());
    }
    let session = subject.session(&options, console)?;
    let signature = subject.select(&choice, &session)?;
    if stages.select(&signature, console)? || stages.cluster(&signature, console)? {
        return Ok(());
    }
    if args.stage.to.is_some() || args.stage.dump.is_some() {
        let feeds = inputs.all_feeds(signature.inputs(), None)?;
        if stages.programs(&signature, &feeds, console)? {
            return Ok(());
        }
    }
    if args.nodes {
        return console.print(signature.explain());
    }
    summary(&signature, console)
}

/// Launches and host nodes in order, with their ops.
fn summary(signature: &Signature, console: &mut Console) -> Result<(), Failure> {
    let clustered = signature.clustered();
    let function = signature.function();
    let mut in_cluster: Vec<BTreeMap<&str, usize>> =
        vec![BTreeMap::new(); clustered.clusters.len()];
    let mut unused = 0;
    for (id, node) in function.graph.iter() {
        match clustered.placements[id.index()].place {
            Place::Cluster(i) => *in_cluster[i].entry(&*node.op).or_default() += 1,
            Place::Unused => unused += 1,
            Place::Argument | Place::Host => {}
        }
    }
    let mut host: Vec<(&str, &str, usize)> = Vec::new();
    for item in &clustered.items {
        match item {
            Item::Launch(number) => {
                flush_host(&mut host, console)?;
                let c = &clustered.clusters[*number];
                let facts = format!(
                    "{}, {} ({} at compile time, {}), {}",
                    count_text(c.nodes, "node"),
                    count_text(c.inputs.len(), "input"),
                    c.constants.len(),
                    count_text(c.resources.len(), "variable"),
                    count_text(c.outputs.len(), "output")
                );
                let title = console.style(Style::Heading, &format!("launch cluster {number}"));
                console.line(format!("{title}  {facts}"))?;
                let mut table = Table::new(&[Align::Right, Align::Left]);
                let mut ops: Vec<_> = in_cluster[*number].iter().collect();
                ops.sort_by_key(|(op, n)| (std::cmp::Reverse(**n), **op));
                for (op, n) in ops {
                    table.row([n.to_string(), (*op).to_owned()]);
                }
                console.print(table.text(2))?;
            }
            Item::Host(id) => {
                let Some(node) = function.graph.get(*id) else { continue };
                let reason = clustered.placements[id.index()].reason.as_str();
                match host.iter_mut().find(|(op, why, _)| *op == &*node.op && *why == reason) {
                    Some((.., n)) => *n += 1,
                    None => host.push((&node.op, reason, 1)),
                }
            }
        }
    }
    flush_host(&mut host, console)?;
    if unused > 0 {
        let text = format!("{} not needed by any output", count_text(unused, "node"));
        let text = console.style(Style::Faint, &text);
        console.line(text)?;
    }
    Ok(())
}

/// Prints and forgets the host nodes between two launches.
fn flush_host(host: &mut Vec<(&str, &str, usize)>, console: &mut Console) -> Result<(), Failure> {
    if host.is_empty() {
        return Ok(());
    }
    let total: usize = host.iter().map(|(.., n)| n).sum();
    let title = console.style(Style::Heading, "host");
    console.line(format!("{title}  {}", count_text(total, "node")))?;
    let mut table = Table::new(&[Align::Right, Align::Left, Align::Left]);
    for (op, reason, n) in host.drain(..) {
        table.row([n.to_string(), op.to_owned(), reason.to_owned()]);
    }
    console.print(table.text(2))
}
