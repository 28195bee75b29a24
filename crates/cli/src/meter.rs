//! Measurement of CPU time and memory.

/// The CPU time of this process over all threads, in seconds. On systems other than Unix, the wall-clock time
/// since the first call.
pub(crate) fn cpu_seconds() -> f64 {
    system::cpu_seconds()
}

/// The largest resident memory of this process so far, in MiB. `None` if the system does not report it.
pub(crate) fn peak_rss_mib() -> Option<f64> {
    system::peak_rss_mib()
}

#[cfg(unix)]
mod system {
    use rustix::time::{ClockId, clock_gettime};

    pub(super) fn cpu_seconds() -> f64 {
        let time = clock_gettime(ClockId::ProcessCPUTime);
        time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
    }

    pub(super) fn peak_rss_mib() -> Option<f64> {
        // Linux: the line `VmHWM:  1234 kB`.
        let status = std::fs::read_to_string("/proc/self/status").ok()?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
        let kib: f64 = line.split_whitespace().next()?.parse().ok()?;
        Some(kib / 1024.0)
    }
}

#[cfg(not(unix))]
mod system {
    use std::sync::OnceLock;
    use std::time::Instant;

    pub(super) fn cpu_seconds() -> f64 {
        static FIRST: OnceLock<Instant> = OnceLock::new();
        FIRST.get_or_init(Instant::now).elapsed().as_secs_f64()
    }

    pub(super) fn peak_rss_mib() -> Option<f64> {
        None
    }
}
