//! `explain`: what is compiled, what is not and why.

use std::collections::BTreeMap;
use std::path::Path;

use tfjit::{Backend, Options};
use tfjit_base::ids::Id;
use tfjit_base::{Code, Result};
use tfjit_cluster::{Cluster, Clustered, Item, Place};
use tfjit_model::{Function, FunctionLibrary, Node};

use super::stages::Stages;
use super::subject::{Choice, Inputs, Subject, borrowed, options};
use super::{profile, program};
use crate::args::{ExplainArgs, InputArgs};
use crate::console::{Console, Style};
use crate::failure::Failure;
use crate::progress;
use crate::table::{Align, Table, count_text};

/// Explains the signature that was named.
///
/// # Errors
/// Those of reading, clustering and lowering, and of writing to stdout.
pub(super) fn explain(args: &ExplainArgs, console: &mut Console) -> Result<(), Failure> {
    let path: &Path = &args.model;
    if program::is_program(path) {
        return program::explain(path, args, console);
    }
    let inputs =
        Inputs::parse(&InputArgs { shape: args.shape.clone(), ..program::made_up() }, console)?;
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
    stages.configure(&mut options);
    if stages.before_lowering(&subject, &choice, options.clusters, console)? {
        return Ok(());
    }
    if args.stage.to.is_some() || args.stage.dump.is_some() {
        let session = subject.session(&options, console)?;
        let signature = subject.signature(&choice, &session)?;
        let feeds = inputs.all_feeds(signature.inputs(), None)?;
        if stages.programs(&signature, &feeds, &options, console)? {
            return Ok(());
        }
    }
    let function = subject.function(&choice)?;
    let library = &subject.model.raw().library;
    let how = tfjit_cluster::Options { clusters: options.clusters, ..Default::default() };
    let clustered = tfjit_cluster::cluster(library, &function, how)?;
    if args.nodes {
        return console.print(clustered.explain(&function));
    }
    let compiled = compiled(&subject, &choice, &inputs, &options, console);
    let counts = OpCounts::of(library);
    Summary { library, function: &function, clustered: &clustered, compiled, counts }
        .print(console)?;
    if options.profiler.is_some() {
        let session = subject.session(&options, console)?;
        let signature = subject.signature(&choice, &session)?;
        let feeds = inputs.all_feeds(signature.inputs(), None)?;
        progress::during(console, "measuring", || {
            profile::collect(&options, || signature.run(&borrowed(&feeds)).map(drop))
        })?;
    }
    profile::print(&options, console)
}

/// What the backend tells about each cluster, or why it can't be compiled by itself. There is no
/// entry when the session or its inputs can't be made, or the backend makes nothing of programs.
fn compiled(
    subject: &Subject,
    choice: &Choice<'_>,
    inputs: &Inputs,
    options: &Options,
    console: &Console,
) -> Vec<Result<Option<String>>> {
    if options.backend == Backend::Eval {
        return Vec::new();
    }
    let options = Options { keep_text: true, ..options.clone() };
    let texts = || {
        let session = subject.session(&options, console)?;
        let signature = subject.signature(choice, &session)?;
        let feeds = inputs.all_feeds(signature.inputs(), None)?;
        signature.texts(&borrowed(&feeds), "explain")
    };
    texts().unwrap_or_default()
}

/// Launches and host nodes in the order they run.
struct Summary<'a> {
    library: &'a FunctionLibrary,
    function: &'a Function,
    clustered: &'a Clustered,
    /// What the backend tells about each cluster.
    compiled: Vec<Result<Option<String>>>,
    counts: OpCounts<'a>,
}

/// Host nodes of one op and reason.
struct HostRow<'a> {
    op: &'a str,
    reason: &'a str,
    runs: bool,
    count: usize,
}

impl<'a> Summary<'a> {
    fn print(&self, console: &mut Console) -> Result<(), Failure> {
        let mut host: Vec<HostRow<'a>> = Vec::new();
        for item in &self.clustered.items {
            match item {
                Item::Launch(number) => {
                    print_host(&mut host, console)?;
                    self.print_launch(*number, console)?;
                }
                Item::Host(id) => {
                    let Some(node) = self.function.graph.get(*id) else { continue };
                    let reason = self.clustered.placements[id.index()].reason.as_str();
                    let runs = tfjit_launch::runs_on_host(self.function, node, self.library);
                    let row = host.iter_mut().find(|row| {
                        row.op == &*node.op && row.reason == reason && row.runs == runs
                    });
                    match row {
                        Some(row) => row.count += 1,
                        None => host.push(HostRow { op: &node.op, reason, runs, count: 1 }),
                    }
                }
            }
        }
        print_host(&mut host, console)?;
        let unused = |p: &&tfjit_cluster::Placement| p.place == Place::Unused;
        let unused = self.clustered.placements.iter().filter(unused).count();
        if unused > 0 {
            let text = format!("{} that no output needs", count_text(unused, "node"));
            let text = console.style(Style::Faint, &text);
            console.line(text)?;
        }
        Ok(())
    }

    fn print_launch(&self, number: usize, console: &mut Console) -> Result<(), Failure> {
        let cluster: &Cluster = &self.clustered.clusters[number];
        let mut ops: BTreeMap<&str, usize> = BTreeMap::new();
        for (_, node) in cluster.function.graph.iter().filter(|(_, n)| &*n.op != ARGUMENT) {
            self.counts.add(node, &mut ops);
        }
        let nodes = ops.values().fold(0usize, |sum, n| sum.saturating_add(*n));
        let facts = format!(
            "{}, {} ({} at compile time, {}), {}",
            count_text(nodes, "node"),
            count_text(cluster.inputs.len(), "input"),
            cluster.constants.len(),
            count_text(cluster.resources.len(), "variable"),
            count_text(cluster.outputs.len(), "output")
        );
        let title = console.style(Style::Heading, &format!("launch cluster {number}"));
        console.line(format!("{title}  {facts}"))?;
        let mut rows: Vec<(&str, usize)> = ops.into_iter().collect();
        rows.sort_by_key(|&(op, n)| (std::cmp::Reverse(n), op));
        let mut table = Table::new(&[Align::Right, Align::Left]);
        for (op, n) in rows {
            table.row([n.to_string(), op.to_owned()]);
        }
        console.print(table.text(2))?;
        match self.compiled.get(number) {
            None | Some(Ok(None)) => Ok(()),
            Some(Ok(Some(text))) => {
                text.lines().try_for_each(|line| console.line(format!("  {line}")))
            }
            // A launch whose inputs others compute is compiled when it comes to it.
            Some(Err(error)) if error.code() == Code::FailedPrecondition => {
                let text = format!("  compiled at the first launch: {}", error.message());
                let text = console.style(Style::Faint, &text);
                console.line(text)
            }
            Some(Err(error)) => {
                let text = console.style(Style::Faint, &format!("  not compiled: {error}"));
                console.line(text)
            }
        }
    }
}

/// Prints and forgets the host nodes between two launches.
fn print_host(host: &mut Vec<HostRow<'_>>, console: &mut Console) -> Result<(), Failure> {
    if host.is_empty() {
        return Ok(());
    }
    let total: usize = host.iter().map(|row| row.count).sum();
    let title = console.style(Style::Heading, "host");
    console.line(format!("{title}  {}", count_text(total, "node")))?;
    let mut table = Table::new(&[Align::Right, Align::Left, Align::Left, Align::Left]);
    for row in host.drain(..) {
        let verdict = if row.runs { String::new() } else { "cannot run".to_owned() };
        table.row([row.count.to_string(), row.op.to_owned(), row.reason.to_owned(), verdict]);
    }
    console.print(table.text(2))
}

/// The op of a parameter's node, which is in no file.
const ARGUMENT: &str = "_Arg";

/// How often each op occurs in a function, calls included. Calls are not recursive.
struct OpCounts<'a> {
    library: &'a FunctionLibrary,
    functions: BTreeMap<&'a str, BTreeMap<&'a str, usize>>,
}

impl<'a> OpCounts<'a> {
    /// Counts all functions of the library, callees first.
    fn of(library: &'a FunctionLibrary) -> OpCounts<'a> {
        let mut counts = OpCounts { library, functions: BTreeMap::new() };
        for function in library.iter() {
            let mut stack: Vec<(&'a Function, bool)> = vec![(function, false)];
            while let Some((function, ready)) = stack.pop() {
                if counts.functions.contains_key(&*function.name) {
                    continue;
                }
                if ready {
                    counts.count(function);
                    continue;
                }
                stack.push((function, true));
                for (_, node) in function.graph.iter() {
                    let callees = node.callees(library).into_iter();
                    stack.extend(callees.filter_map(|c| library.get(c)).map(|f| (&**f, false)));
                }
            }
        }
        counts
    }

    fn count(&mut self, function: &'a Function) {
        let mut ops = BTreeMap::new();
        for (_, node) in function.graph.iter().filter(|(_, n)| &*n.op != ARGUMENT) {
            self.add(node, &mut ops);
        }
        self.functions.insert(&function.name, ops);
    }

    /// Adds the op of `node`, and for a call what it calls.
    fn add<'b>(&self, node: &'b Node, ops: &mut BTreeMap<&'b str, usize>)
    where
        'a: 'b,
    {
        let callees = node.callees(self.library);
        let is_plain_call = node.op.contains("PartitionedCall");
        if callees.is_empty() || !is_plain_call {
            *ops.entry(&*node.op).or_default() += 1;
        }
        for callee in callees {
            for (op, n) in self.functions.get(callee).into_iter().flatten() {
                let sum = ops.entry(op).or_default();
                *sum = sum.saturating_add(*n);
            }
        }
    }
}
