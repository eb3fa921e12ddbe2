//! A run: starts the hosts and their faults, takes samples, and judges them.

use std::cell::RefCell;
use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use claw_testkit::Block;
use claw_testkit::api::{Api, Scenario};
use claw_testkit::server::Server;
use rustix::process::Signal;
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::sync::watch;
use tokio::task::LocalSet;
use tokio::time::{Instant, sleep, timeout};

use crate::growth::{self, Trend};
use crate::hosts::{self, Setting};
use crate::samples::{self, Sample, processes};
use crate::tally::Tally;
use crate::{Result, Run, agent, chaos, ends, library, picture, steady};

const LIBRARY: &str = library::NAME;
const SERVED: &str = "served";
/// The hosts whose growth is judged. The third host is not, because it is ended again and again.
const JUDGED: [&str; 2] = [LIBRARY, SERVED];

/// The number of actors that begin sessions in the server.
const ACTORS: u64 = 3;
/// The maximum time that a process may outlive its host.
const LEFT: Duration = Duration::from_secs(30);

pub(crate) async fn main(run: &Run) -> Result {
    LocalSet::new().run_until(whole(run)).await
}

async fn whole(run: &Run) -> Result {
    let seed = run.seed.unwrap_or_else(|| fastrand::u64(..));
    let duration = run.duration();
    println!(
        "seed {seed}, {:.1} minutes, pace {} ms",
        duration.as_secs_f64() / 60.0,
        run.pace
    );
    let mut random = fastrand::Rng::with_seed(seed);
    fs::create_dir_all(&run.out)?;
    let folder = tempfile::Builder::new().prefix("claw-soak-").tempdir()?;
    fs::create_dir(folder.path().join("bin"))?;
    let this = std::env::current_exe()?;
    std::os::unix::fs::symlink(&this, folder.path().join("bin").join(agent::NAME))?;
    let api = Api::start(Scenario::always([Block::text(agent::REAL_ANSWER)])).await?;
    let store = tokio::task::spawn_blocking(|| Server::postgres(&["-F"])).await??;
    let store = Arc::new(store);
    let setting = Setting {
        run: std::process::id().to_string(),
        folder: folder.path().to_owned(),
        claw: absolute(&run.claw)?,
        claude: absolute(&run.claude)?,
        api: api.env(),
        pace: Duration::from_millis(run.pace),
    };

    let mut command = setting.command(LIBRARY, &this, true)?;
    command
        .arg(LIBRARY)
        .env(library::STORE, store.url())
        .env(library::SEED, random.u64(..).to_string())
        .env(library::PACE, run.pace.to_string())
        .stdin(Stdio::piped());
    if let Some(leak) = run
        .leak
        .as_ref()
        .and_then(clap::ValueEnum::to_possible_value)
    {
        command.env(library::LEAK, leak.get_name());
    }
    let mut host = command.spawn()?;
    let served = setting.serve(SERVED, true, &["--processes", "3"]).await?;
    let judged = [
        (LIBRARY, host.id().unwrap_or_default()),
        (SERVED, served.process()),
    ];

    let (end_sender, end) = watch::channel(false);
    let tally = Rc::new(RefCell::new(Tally::default()));
    let actors: Vec<_> = (0..ACTORS)
        .map(|number| steady::Actor {
            number,
            client: served.client.clone(),
            random: random.fork(),
            pace: setting.pace,
            tally: tally.clone(),
        })
        .map(|actor| tokio::task::spawn_local(actor.run(end.clone())))
        .collect();
    let ended = tokio::task::spawn_local(ends::run(setting.clone(), random.fork(), end.clone()));
    let chaos = tokio::task::spawn_local(chaos::run(
        setting.run.clone(),
        judged,
        store.clone(),
        setting.pace,
        random.fork(),
        end,
    ));

    let mut asked = Asked::default();
    let (mut samples, begun) = (Vec::new(), Instant::now());
    let mut problems = Vec::new();
    while begun.elapsed() < duration && problems.is_empty() {
        sleep(Duration::from_secs_f64(run.sample)).await;
        let seconds = begun.elapsed().as_secs_f64();
        for (name, process) in judged {
            match Sample::take(
                seconds,
                name,
                process,
                &setting.run,
                &setting.folder_of(name),
            ) {
                Some(sample) => samples.push(sample),
                None => problems.push(format!("{name} has ended by itself")),
            }
        }
        asked.take(&api);
        samples::write(&run.out.join("soak.csv"), &samples)?;
    }

    end_sender.send_replace(true);
    for actor in actors {
        actor.await?;
    }
    let (ended, chaos) = (ended.await?, chaos.await?);
    let library = finish(&mut host).await.unwrap_or_else(|error| {
        let mut tally = Tally::default();
        tally.wrong(error.to_string());
        tally
    });
    served.end(Signal::TERM).await?;
    asked.take(&api);
    let served = tally.take();

    for (name, tally) in [(LIBRARY, &library), (SERVED, &served), (ends::HOST, &ended)] {
        println!("{name}: {tally}");
        if !tally.is_right() {
            problems.push(format!("{name}: see above"));
        }
    }
    println!(
        "killed: {} CLIs of the library, {} of the server; the store paused {} times, killed {} times; the real CLI \
         asked the API for {} prompts",
        chaos.kills[0],
        chaos.kills[1],
        chaos.pauses,
        chaos.restarts,
        asked.times.len()
    );
    problems.extend(chaos.failed);
    problems.extend(asked.more_than_once());
    for (tally, kills, name) in [
        (&library, chaos.kills[0], LIBRARY),
        (&served, chaos.kills[1], SERVED),
    ] {
        if tally.of("killed") > kills {
            problems.push(format!(
                "{name}: {} prompts without an answer, {kills} kills",
                tally.of("killed")
            ));
        }
    }
    problems.extend(left(&setting).await);
    let trends: Vec<_> = JUDGED
        .into_iter()
        .flat_map(|host| growth::trends(host, &samples))
        .collect();
    print(&trends);
    let title = format!(
        "claw under load for {:.0} minutes, seed {seed}",
        duration.as_secs_f64() / 60.0
    );
    fs::write(
        run.out.join("soak.svg"),
        picture::draw(&title, &JUDGED, &samples, &trends),
    )?;
    for trend in trends.iter().filter(|trend| trend.is_too_much) {
        problems.push(format!("{}: {} grows", trend.host, trend.metric));
    }
    if problems.is_empty() {
        return Ok(());
    }
    for host in [LIBRARY, SERVED, ends::HOST] {
        show_end(&setting.folder.join(format!("{host}.stderr")))?;
    }
    Err(problems.join("\n").into())
}

fn absolute(path: &Path) -> Result<std::path::PathBuf> {
    path.canonicalize()
        .map_err(|error| format!("{}: {error}", path.display()).into())
}

/// Ends the host that uses the library, and reads its tally.
async fn finish(host: &mut tokio::process::Child) -> Result<Tally> {
    drop(host.stdin.take());
    let out = host.stdout.take().ok_or("no stdout")?;
    let mut lines = BufReader::new(out).lines();
    let line = timeout(hosts::PATIENCE * 2, lines.next_line())
        .await
        .map_err(|_| "the library does not end")??;
    let tally = serde_json::from_str(&line.ok_or("the library failed, see library.stderr")?)?;
    timeout(hosts::PATIENCE, host.wait()).await??;
    Ok(tally)
}

/// Processes that outlive their host.
async fn left(setting: &Setting) -> Option<String> {
    let begun = Instant::now();
    loop {
        let all = [LIBRARY, SERVED, ends::HOST]
            .map(|host| processes(&setting.run, host))
            .concat();
        if all.is_empty() {
            return None;
        }
        if begun.elapsed() > LEFT {
            all.iter()
                .for_each(|&process| hosts::send(process, Signal::KILL));
            return Some(format!("{} processes are left at the end", all.len()));
        }
        sleep(Duration::from_millis(200)).await;
    }
}

/// The number of times that the real CLI has sent each prompt to the API.
#[derive(Default)]
struct Asked {
    times: HashMap<String, u32>,
}

impl Asked {
    /// Takes the requests since the last call, so that the API keeps few of them.
    fn take(&mut self, api: &Api) {
        for request in api
            .take_requests()
            .iter()
            .filter(|request| request.is_message())
        {
            if let Some(mark) = agent::mark(&request.conversation().prompt) {
                *self.times.entry(mark.to_owned()).or_default() += 1;
            }
        }
    }

    fn more_than_once(&self) -> Option<String> {
        let more: Vec<_> = self.times.iter().filter(|(_, times)| **times > 1).collect();
        (!more.is_empty()).then(|| format!("the model was asked more than once: {more:?}"))
    }
}

fn print(trends: &[Trend]) {
    println!("\n| host | figure | from | to | growth an hour | bound | |");
    println!("| --- | --- | ---: | ---: | ---: | ---: | --- |");
    for trend in trends {
        println!(
            "| {} | {} | {:.0} | {:.0} | {:+.1} | {} | {} |",
            trend.host,
            trend.metric,
            trend.from,
            trend.to,
            trend.slope,
            trend
                .bound
                .map_or_else(|| "not judged".to_owned(), |bound| format!("{bound:.0}")),
            if trend.is_too_much { "GROWS" } else { "" },
        );
    }
}

/// The last lines that a host has written to standard error.
fn show_end(path: &Path) -> Result {
    let text = fs::read(path)?;
    let text = String::from_utf8_lossy(&text);
    let lines: Vec<_> = text.lines().collect();
    for line in &lines[lines.len().saturating_sub(12)..] {
        eprintln!("{}: {line}", path.file_name().unwrap_or_default().display());
    }
    Ok(())
}
