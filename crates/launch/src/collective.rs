//! Groups of devices: who belongs to one, in which order, and the threads their launches run on.
//!
//! The members of a group find each other by its key: the first devices that ask for it are it.
//! Their order is that of their names, whoever came first, so that every run is the same.
//! It must not know what collectives compute.

use std::collections::VecDeque;
use std::fmt;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use rustc_hash::FxHashMap;
use tfjit_base::{Error, Result, limits};
pub use tfjit_bridge::CollectiveInfo;
use tfjit_client::ExecuteOptions;

use crate::{Group, GroupOptions};

/// How often one who waits looks whether it is to stop.
const POLL: Duration = Duration::from_millis(10);

/// How devices of a process form groups.
pub struct CollectiveExecutor {
    options: GroupOptions,
    groups: Mutex<FxHashMap<i32, Forming>>,
    changed: Condvar,
}

struct Forming {
    size: usize,
    /// Names of the members, sorted once all are there.
    devices: Vec<String>,
    group: Group,
}

/// One member's view of a group.
#[derive(Clone, Debug)]
pub struct Joined {
    /// Position of this member.
    pub rank: usize,
    /// Names of all members in order.
    pub devices: Vec<String>,
    /// Where they meet.
    pub group: Group,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl fmt::Debug for CollectiveExecutor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "CollectiveExecutor({} groups)", lock(&self.groups).len())
    }
}

impl Default for CollectiveExecutor {
    fn default() -> CollectiveExecutor {
        CollectiveExecutor::new(GroupOptions::default())
    }
}

impl CollectiveExecutor {
    /// Devices without any group.
    pub fn new(options: GroupOptions) -> CollectiveExecutor {
        CollectiveExecutor { options, groups: Mutex::default(), changed: Condvar::new() }
    }

    /// Joins a group and waits until all its members have: `name` says for what, in messages.
    ///
    /// # Errors
    /// INVALID_ARGUMENT when the group has another size, or is full without this device;
    /// DEADLINE_EXCEEDED naming who has come; CANCELLED soon after `stop` says yes.
    pub fn join(
        &self,
        name: &str,
        (group_key, group_size): (i32, i32),
        device: &str,
        timeout: Option<Duration>,
        stop: &dyn Fn() -> bool,
    ) -> Result<Joined> {
        let size = usize::try_from(group_size)
            .ok()
            .filter(|size| (1..=limits::PARTICIPANTS_MAX).contains(size))
            .ok_or_else(|| {
                Error::invalid_argument(format!("{name}: a group of {group_size} members"))
            })?;
        let timeout = timeout.filter(|t| !t.is_zero()).unwrap_or(self.options.timeout);
        let deadline = Instant::now().checked_add(timeout);
        let mut groups = lock(&self.groups);
        let group = Group::new(GroupOptions { timeout });
        let new = || Forming { size, devices: Vec::new(), group };
        let forming = groups.entry(group_key).or_insert_with(new);
        if forming.size != size {
            return Err(Error::invalid_argument(format!(
                "{name}: device {device} joins group {group_key} with {size} members, which has {}",
                forming.size
            )));
        }
        if !forming.devices.iter().any(|known| known == device) {
            if forming.devices.len() == size {
                return Err(Error::invalid_argument(format!(
                    "{name}: device {device} joins group {group_key}, which has its {size} members"
                )));
            }
            forming.devices.push(device.to_owned());
            if forming.devices.len() == size {
                forming.devices.sort_by(|a, b| by_name(a, b));
                self.changed.notify_all();
            }
        }
        loop {
            let forming = groups.get(&group_key);
            let forming = forming.ok_or_else(|| Error::cancelled("the group was given up"))?;
            if forming.devices.len() == size {
                let rank = forming.devices.iter().position(|known| known == device);
                let rank = rank.ok_or_else(|| Error::internal("a group lost a member"))?;
                let (devices, group) = (forming.devices.clone(), forming.group.clone());
                return Ok(Joined { rank, devices, group });
            }
            let late = deadline.is_some_and(|deadline| Instant::now() >= deadline);
            if late || stop() {
                let come = forming.devices.join(", ");
                self.leave(&mut groups, group_key, device);
                return Err(match late {
                    true => Error::deadline_exceeded(format!(
                        "{name}: Timeout reached: of the {size} members of group {group_key} only \
                         {come} came within {} s",
                        timeout.as_secs_f64()
                    )),
                    false => {
                        Error::cancelled(format!("{name}: the wait for a group was cancelled"))
                    }
                });
            }
            let waited = self.changed.wait_timeout(groups, POLL);
            groups = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// A device waits no longer; a group nobody waits for is forgotten.
    fn leave(&self, groups: &mut FxHashMap<i32, Forming>, group_key: i32, device: &str) {
        if let Some(forming) = groups.get_mut(&group_key) {
            forming.devices.retain(|known| known != device);
            if forming.devices.is_empty() {
                groups.remove(&group_key);
            }
        }
    }

    /// Forgets all groups, so that other devices may form them; whoever waits is cancelled.
    pub fn reset(&self) {
        lock(&self.groups).clear();
        self.changed.notify_all();
    }
}

/// Order of devices by name, where numbers count as numbers: `CPU:2` is before `CPU:10`.
fn by_name(a: &str, b: &str) -> std::cmp::Ordering {
    let split = |name: &str| -> (String, u64) {
        let digits = name.len() - name.trim_end_matches(|c: char| c.is_ascii_digit()).len();
        let (text, number) = name.split_at(name.len() - digits);
        (text.to_owned(), number.parse().unwrap_or(0))
    };
    split(a).cmp(&split(b))
}

/// Which launches of a program belong together.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum RunId {
    /// Those of one step, whose members run in it.
    Step(u64),
    /// Each device's next one: members are steps of their own, in the same order on each.
    Next,
}

/// Makes the launch of a collective program one of its group: waits until all members have come
/// and says who this one is.
///
/// # Errors
/// INVALID_ARGUMENT without an executor, and when not all members come in time; those of
/// [`CollectiveExecutor::join`].
pub fn join_collective(
    executor: Option<&CollectiveExecutor>,
    info: &CollectiveInfo,
    device: &str,
    run: RunId,
    stop: &dyn Fn() -> bool,
    options: &mut ExecuteOptions,
) -> Result<Joined> {
    let executor = executor.ok_or_else(|| {
        Error::invalid_argument("a program with collectives needs a collective executor")
    })?;
    let name = "xla-reduction-compilation";
    let group = (info.group_key, info.group_size);
    let joined = executor.join(name, group, device, None, stop).map_err(|error| {
        match error.code() {
            // TensorFlow's code for it at this place.
            tfjit_base::Code::DeadlineExceeded => Error::invalid_argument(error.message()),
            _ => error,
        }
    })?;
    options.collectives = Some(Arc::new(joined.group.clone()));
    options.replica = joined.rank as u32;
    options.grid = (joined.devices.len() as u32, 1);
    options.run_id = match run {
        // Even and odd, so that the two kinds never meet.
        RunId::Step(step) => step.wrapping_shl(1) | 1,
        RunId::Next => 0,
    };
    Ok(joined)
}

type Job = Box<dyn FnOnce() + Send>;

/// Threads for the launches of one collective program: as many as it has members, so that all of
/// them can wait at the same time without taking threads that others need.
pub struct CollectivePool {
    size: usize,
    queue: Mutex<PoolQueue>,
    changed: Condvar,
}

#[derive(Default)]
struct PoolQueue {
    jobs: VecDeque<Job>,
    threads: usize,
    idle: usize,
}

/// How long a thread without work stays.
const IDLE: Duration = Duration::from_secs(10);

impl fmt::Debug for CollectivePool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "CollectivePool({} threads at most)", self.size)
    }
}

impl CollectivePool {
    /// The pool of a program, one for each key, size and number of collectives in this process.
    pub fn of(info: &CollectiveInfo) -> Arc<CollectivePool> {
        type Pools = Mutex<FxHashMap<CollectiveInfo, Arc<CollectivePool>>>;
        static POOLS: OnceLock<Pools> = OnceLock::new();
        let mut pools = lock(POOLS.get_or_init(Pools::default));
        let size = usize::try_from(info.group_size).unwrap_or(1).clamp(1, limits::PARTICIPANTS_MAX);
        let pool = pools.entry(*info).or_insert_with(|| {
            let (queue, changed) = (Mutex::default(), Condvar::new());
            Arc::new(CollectivePool { size, queue, changed })
        });
        Arc::clone(pool)
    }

    /// Runs a job on one of the threads, as soon as one is free.
    ///
    /// # Errors
    /// RESOURCE_EXHAUSTED when there is no thread at all.
    pub fn run(self: &Arc<CollectivePool>, job: impl FnOnce() + Send + 'static) -> Result<()> {
        let mut queue = lock(&self.queue);
        queue.jobs.push_back(Box::new(job));
        if queue.idle >= queue.jobs.len() || queue.threads >= self.size {
            self.changed.notify_one();
            return Ok(());
        }
        let pool = Arc::clone(self);
        let thread = std::thread::Builder::new().name("xla_collective".to_owned());
        match thread.spawn(move || pool.work()) {
            Ok(_) => queue.threads += 1,
            Err(error) if queue.threads == 0 => {
                queue.jobs.pop_back();
                let text = format!("no thread for a collective launch: {error}");
                return Err(Error::resource_exhausted(text));
            }
            Err(_) => {}
        }
        Ok(())
    }

    fn work(&self) {
        let mut queue = lock(&self.queue);
        loop {
            if let Some(job) = queue.jobs.pop_front() {
                drop(queue);
                // A job that panics must not take the thread from the others.
                let _panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(job));
                queue = lock(&self.queue);
                continue;
            }
            queue.idle += 1;
            let waited = self.changed.wait_timeout(queue, IDLE);
            let (back, timeout) = waited.unwrap_or_else(PoisonError::into_inner);
            queue = back;
            queue.idle -= 1;
            if timeout.timed_out() && queue.jobs.is_empty() {
                queue.threads -= 1;
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use tfjit_base::Code;

    use super::*;

    fn info(group_key: i32, group_size: i32) -> CollectiveInfo {
        CollectiveInfo { group_key, group_size, next_id: 1 }
    }

    #[test]
    fn members_are_ordered_by_name() {
        let executor = CollectiveExecutor::default();
        let names = ["/device:CPU:10", "/device:CPU:2", "/device:CPU:0"];
        let joined: Vec<Joined> = std::thread::scope(|scope| {
            let join = |name| executor.join("test", (1, 3), name, None, &|| false).unwrap();
            let threads: Vec<_> = names.map(|name| scope.spawn(move || join(name))).into();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        assert_eq!(joined.iter().map(|j| j.rank).collect::<Vec<_>>(), [2, 1, 0]);
        assert_eq!(joined[0].devices, ["/device:CPU:0", "/device:CPU:2", "/device:CPU:10"]);
        // Later launches find the group at once; strangers do not get in.
        assert_eq!(executor.join("again", (1, 3), names[1], None, &|| false).unwrap().rank, 1);
        for (group, device) in [((1, 3), "/device:CPU:4"), ((1, 2), names[0])] {
            let error = executor.join("bad", group, device, None, &|| false).unwrap_err();
            assert_eq!(error.code(), Code::InvalidArgument, "{error}");
        }
        executor.reset();
        let stop = || true;
        let error = executor.join("new", (1, 2), names[0], None, &stop).unwrap_err();
        assert_eq!(error.code(), Code::Cancelled);
    }

    #[test]
    fn launches_without_all_members_fail_by_name() {
        let timeout = Duration::from_millis(30);
        let executor = CollectiveExecutor::new(GroupOptions { timeout });
        let mut options = ExecuteOptions::default();
        let mut join = |executor: Option<&CollectiveExecutor>| {
            let run = RunId::Next;
            let device = "/device:CPU:1";
            join_collective(executor, &info(7, 2), device, run, &|| false, &mut options)
                .unwrap_err()
        };
        assert_eq!(join(None).code(), Code::InvalidArgument);
        let error = join(Some(&executor));
        assert_eq!(error.code(), Code::InvalidArgument);
        assert!(error.message().contains("Timeout reached"), "{error}");
        assert!(error.message().contains("only /device:CPU:1 came"), "{error}");
    }

    #[test]
    fn all_members_can_wait_at_once() {
        let pool = CollectivePool::of(&info(-77, 4));
        assert!(Arc::ptr_eq(&pool, &CollectivePool::of(&info(-77, 4))));
        let barrier = Arc::new(std::sync::Barrier::new(4));
        let (done, all) = mpsc::channel();
        for _ in 0..3 {
            pool.run(|| panic!("a job that panics")).unwrap();
        }
        for i in 0..8 {
            let (barrier, done) = (Arc::clone(&barrier), done.clone());
            pool.run(move || {
                barrier.wait();
                done.send(i).unwrap();
            })
            .unwrap();
        }
        let mut seen: Vec<i32> = all.iter().take(8).collect();
        seen.sort_unstable();
        assert_eq!(seen, [0, 1, 2, 3, 4, 5, 6, 7]);
        assert!(lock(&pool.queue).threads <= 4);
    }
}
