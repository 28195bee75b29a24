//! Measurement of this process: its CPU time and its memory.

use std::time::Duration;

/// The CPU time of this process over all threads, in the user's code and in the system's. Zero on systems other
/// than Unix.
pub fn cpu_time() -> Duration {
    #[cfg(unix)]
    {
        let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
        Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
    }
    #[cfg(not(unix))]
    Duration::ZERO
}

/// The largest resident memory of this process so far, in MiB. `None` if the system does not report it.
pub fn peak_mib() -> Option<f64> {
    // Linux: the line `VmHWM:  1234 kB`.
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kib: f64 = line.split_whitespace().next()?.parse().ok()?;
    Some(kib / 1024.0)
}
