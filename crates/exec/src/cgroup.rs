//! How much memory the process may use: the least of what its cgroups, those around them and the
//! machine allow. Nothing here knows what it is used for.

/// Bytes that the process may use, as the system says.
pub(crate) fn bytes() -> usize {
    let read = |path: &str| std::fs::read_to_string(path).ok();
    let cgroups = read("/proc/self/cgroup").unwrap_or_default();
    let limits = [limit(&cgroups, &read), machine(&read("/proc/meminfo").unwrap_or_default())];
    limits.into_iter().flatten().min().unwrap_or(usize::MAX)
}

/// The machine's memory, of the text of `/proc/meminfo`.
fn machine(text: &str) -> Option<usize> {
    let line = text.lines().find(|line| line.starts_with("MemTotal:"))?;
    line.split_whitespace().nth(1)?.parse::<usize>().ok().map(|kib| kib << 10)
}

/// The least limit of the cgroups in the text of `/proc/self/cgroup`, whose lines are
/// `number:controllers:path`, and of all around them. In a container the path may be one that only
/// the host knows; what is mounted at the root is then the container's own.
fn limit(cgroups: &str, read: &dyn Fn(&str) -> Option<String>) -> Option<usize> {
    let mut least: Option<usize> = None;
    for line in cgroups.lines() {
        let mut parts = line.splitn(3, ':').skip(1);
        let (Some(controllers), Some(path)) = (parts.next(), parts.next()) else { continue };
        let (root, file) = match controllers {
            "" => ("/sys/fs/cgroup", "memory.max"),
            list if list.split(',').any(|name| name == "memory") => {
                ("/sys/fs/cgroup/memory", "memory.limit_in_bytes")
            }
            _ => continue,
        };
        let mut path = path.trim_end_matches('/');
        loop {
            let text = read(&format!("{root}{path}/{file}"));
            let found = text.and_then(|text| text.trim().parse::<usize>().ok());
            least = found.into_iter().chain(least).min();
            match path.rfind('/') {
                Some(end) => path = &path[..end],
                None => break,
            }
        }
    }
    least
}

#[cfg(test)]
mod tests {
    use super::*;

    fn least(cgroups: &str, files: &[(&str, &str)]) -> Option<usize> {
        let read = |path: &str| {
            files.iter().find(|(name, _)| *name == path).map(|(_, text)| (*text).to_owned())
        };
        limit(cgroups, &read)
    }

    #[test]
    fn the_least_limit_counts() {
        let nested = [
            ("/sys/fs/cgroup/memory.max", "max\n"),
            ("/sys/fs/cgroup/a/memory.max", "4096\n"),
            ("/sys/fs/cgroup/a/b/memory.max", "8192\n"),
        ];
        assert_eq!(least("0::/a/b\n", &nested), Some(4096));
        assert_eq!(least("0::/\n", &nested), None);
        assert_eq!(least("0::/of/the/host\n", &[("/sys/fs/cgroup/memory.max", "77")]), Some(77));
        let old = [("/sys/fs/cgroup/memory/x/memory.limit_in_bytes", "123\n")];
        assert_eq!(least("3:cpu,memory:/x\n2:cpuset:/y\n0::/\n", &old), Some(123));
        assert_eq!(least("nonsense\n:\n", &old), None);
    }

    #[test]
    fn the_machine_has_memory() {
        assert_eq!(machine("MemFree: 1 kB\nMemTotal:   12 kB\n"), Some(12 << 10));
        assert_eq!(machine("MemTotal:\n"), None);
        assert!(bytes() > 1 << 20);
    }
}
