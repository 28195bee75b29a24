//! Measurement of CPU time and memory.

/// CPU time of this process over all threads, in seconds. On systems other than Unix, the time since the
/// first call.
pub(crate) fn cpu_seconds() -> f64 {
    system::cpu_seconds()
}

/// The peak resident memory of this process, in MiB; `None` if the system does not report it.
pub(crate) fn peak_rss_mib() -> Option<f64> {
    system::peak_rss_mib()
}

#[cfg(unix)]
mod system {
    use nix::sys::resource::{UsageWho, getrusage};
    use nix::time::{ClockId, clock_gettime};

    pub(super) fn cpu_seconds() -> f64 {
        clock_gettime(ClockId::CLOCK_PROCESS_CPUTIME_ID)
            .map_or(0.0, |time| time.tv_sec() as f64 + time.tv_nsec() as f64 / 1e9)
    }

    pub(super) fn peak_rss_mib() -> Option<f64> {
        // The unit is bytes on Apple's systems and KiB on all others.
        let unit = if cfg!(target_vendor = "apple") { 1.0 / 1024.0 } else { 1.0 };
        let usage = getrusage(UsageWho::RUSAGE_SELF).ok()?;
        Some(usage.max_rss() as f64 * unit / 1024.0)
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
