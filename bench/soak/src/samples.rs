//! Samples of the resources that a host uses, from `/proc` and from its folder.

use std::fs;
use std::io::Write as _;
use std::path::Path;

use crate::Result;

/// The environment variable with the host's name. Every process of a host has it.
pub(crate) const HOST: &str = "CLAW_SOAK_HOST";

/// The measured figures, in the order of [`Sample::values`].
pub(crate) const METRICS: [&str; 7] = [
    "memory_kib",
    "descriptors",
    "threads",
    "processes",
    "temporary_files",
    "claw_disk_kib",
    "cli_disk_kib",
];

/// The resources of one host at a moment.
#[derive(Clone)]
pub(crate) struct Sample {
    /// The time since the beginning of the run.
    pub(crate) seconds: f64,
    pub(crate) host: &'static str,
    pub(crate) values: [f64; METRICS.len()],
}

impl Sample {
    /// Measures the process of a host, the processes that it has started, and its folder. `None` if the process has
    /// ended.
    pub(crate) fn take(
        seconds: f64,
        host: &'static str,
        process: u32,
        run: &str,
        folder: &Path,
    ) -> Option<Self> {
        let of = |what: &str| format!("/proc/{process}/{what}");
        let status = fs::read_to_string(of("status")).ok()?;
        let figure = |name: &str| {
            let line = status.lines().find_map(|line| line.strip_prefix(name))?;
            let digits: String = line.chars().filter(char::is_ascii_digit).collect();
            digits.parse::<f64>().ok()
        };
        let tmp = folder.join("tmp");
        // The CLI's own folders there (`claude-0`, `cc-socks`) are counted as the CLI's.
        let (all_files, all_bytes) = size(&tmp);
        let (cli_files, cli_bytes) = [of_user(), "cc-socks".to_owned()]
            .map(|name| size(&tmp.join(name)))
            .into_iter()
            .fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
        let (files, tmp_bytes) = (
            all_files.saturating_sub(cli_files),
            all_bytes.saturating_sub(cli_bytes),
        );
        let (_, config) = size(&folder.join("config"));
        let (_, claw) = size(&folder.join("config/claw"));
        Some(Self {
            seconds,
            host,
            values: [
                figure("VmRSS:")?,
                fs::read_dir(of("fd")).ok()?.count() as f64,
                figure("Threads:")?,
                // The host itself is not counted.
                processes(run, host).len().saturating_sub(1) as f64,
                files as f64,
                (claw + tmp_bytes) as f64 / 1024.0,
                (config.saturating_sub(claw) + cli_bytes) as f64 / 1024.0,
            ],
        })
    }
}

/// The CLI's own folder for temporary files.
fn of_user() -> String {
    format!("claude-{}", rustix::process::getuid().as_raw())
}

/// All processes that were started in a host.
pub(crate) fn processes(run: &str, host: &str) -> Vec<u32> {
    let expected = format!("{HOST}={run}-{host}");
    let all = fs::read_dir("/proc").into_iter().flatten().flatten();
    all.filter_map(|entry| {
        let number = entry.file_name().to_str()?.parse().ok()?;
        let environment = fs::read(entry.path().join("environ")).ok()?;
        let is_of_it = environment
            .split(|&byte| byte == 0)
            .any(|variable| variable == expected.as_bytes());
        is_of_it.then_some(number)
    })
    .collect()
}

/// The number of entries in a folder, and their bytes.
fn size(folder: &Path) -> (u64, u64) {
    let mut all = (0, 0);
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        // Files that are removed in the meantime do not count.
        let Ok(about) = entry.path().symlink_metadata() else {
            continue;
        };
        let (mut entries, mut bytes) = (1, 0);
        if about.is_dir() {
            let inner = size(&entry.path());
            entries += inner.0;
            bytes += inner.1;
        } else {
            bytes += about.len();
        }
        all = (all.0 + entries, all.1 + bytes);
    }
    all
}

/// Writes the samples as a table.
pub(crate) fn write(path: &Path, samples: &[Sample]) -> Result {
    let mut file = std::io::BufWriter::new(fs::File::create(path)?);
    writeln!(file, "seconds,host,{}", METRICS.join(","))?;
    for sample in samples {
        let values: Vec<_> = sample
            .values
            .iter()
            .map(|value| format!("{value:.0}"))
            .collect();
        writeln!(
            file,
            "{:.1},{},{}",
            sample.seconds,
            sample.host,
            values.join(",")
        )?;
    }
    Ok(file.flush()?)
}
