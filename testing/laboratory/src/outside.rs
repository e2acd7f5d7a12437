//! Gives each scenario namespaces of its own, in a process of its own, and gathers what came out.

use crate::{
    namespace,
    row::{table, Row},
    scenario::{Need, Scenario},
    time, Error, Files, Result,
};
use duet_process::tell;
use std::{
    env,
    ffi::OsStr,
    fs,
    path::{Path, PathBuf},
    process::Stdio,
};
use tempfile::TempDir;

/// What to play.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The executable of the node.
    pub node: PathBuf,
    /// The executable of an earlier version of it, if there is one.
    pub earlier_node: Option<PathBuf>,
    /// How many nodes.
    pub nodes: u16,
    /// The seed.
    pub seed: u64,
    /// Where the report goes; nothing is written without it.
    pub report: Option<PathBuf>,
    /// Leaves the folders of nodes in place.
    pub keep: bool,
}

/// Whether this machine can do what scenarios need.
///
/// # Errors
/// [`Error::NoNamespaces`] with what the system says.
pub fn probe() -> Result {
    namespace::probe()
}

/// Plays scenarios one after the other, and reports.
///
/// # Errors
/// [`Error::Failed`] with the scenarios that failed, after all were played.
pub async fn run(plan: &Plan, scenarios: &[&Scenario]) -> Result {
    let nodes = plan.earlier_node.iter().chain([&plan.node]);
    if let Some(missing) = nodes.into_iter().find(|node| !node.is_file()) {
        let path = missing.clone();
        return Err(Error::NoNode { path });
    }
    let mut rows = Vec::new();
    for scenario in scenarios {
        tell(format_args!("{}: {}", scenario.name, scenario.what));
        let row = play_inside(plan, scenario).await?;
        tell(format_args!("  {} after {} s", row.verdict(), row.seconds));
        for failure in &row.failures {
            tell(format_args!("  {failure}"));
        }
        rows.push(row);
        if let Some(folder) = &plan.report {
            write(folder, &rows)?;
        }
    }
    tell(format_args!("\n{}", table(&rows)));
    let failed = rows.iter().filter(|row| !row.failures.is_empty());
    let failed: Vec<_> = failed.map(|row| row.scenario.as_str()).collect();
    if failed.is_empty() {
        return Ok(());
    }
    let (seed, names) = (plan.seed, failed.join(", "));
    Err(Error::Failed(format!(
        "scenarios failed with seed {seed}: {names}"
    )))
}

async fn play_inside(plan: &Plan, scenario: &Scenario) -> Result<Row> {
    if let Some(need) = scenario.needs.filter(|need| !is_there(*need, plan)) {
        let mut row = Row::new(scenario, plan.nodes, plan.seed);
        row.left_out = Some(need.to_string());
        return Ok(row);
    }
    let folder = folder(plan)?;
    let result = folder.path().join("row.json");
    let program = env::current_exe().map_err(Error::io("finding this program's path"))?;
    let earlier = plan.earlier_node.iter();
    let earlier = earlier.flat_map(|node| [OsStr::new("--earlier-node"), node.as_os_str()]);
    let mut command = tokio::process::Command::from(namespace::unshared());
    command
        .arg(program)
        .arg(namespace::INSIDE)
        .args(["--scenario", scenario.name])
        .args(["--nodes", &plan.nodes.to_string()])
        .args(["--seed", &plan.seed.to_string()])
        .arg("--node")
        .arg(&plan.node)
        .arg("--folder")
        .arg(folder.path())
        .args(earlier)
        // Its end ends the program inside: it closes when this one is gone, however that comes.
        .stdin(Stdio::piped());
    let what = format!("playing {}", scenario.name);
    let mut inside = command.spawn().map_err(Error::io(what.clone()))?;
    let wire = inside.stdin.take();
    let ended = inside.wait().await.map_err(Error::io(what.clone()))?;
    drop(wire);
    let row = match fs::read(&result) {
        Ok(row) => serde_json::from_slice(&row).map_err(|error| Error::Row {
            scenario: scenario.name.to_owned(),
            error,
        })?,
        Err(_) => {
            let mut row = Row::new(scenario, plan.nodes, plan.seed);
            row.failures.push(format!("process ended with {ended}"));
            row
        }
    };
    if plan.keep {
        tell(format_args!("  files: {}", folder.path().display()));
    }
    Ok(row)
}

/// Plays a scenario inside of namespaces, and leaves the row in the folder.
///
/// # Errors
/// [`Error::Io`] when it cannot be written; what goes wrong with the scenario is in the row.
pub async fn inside(scenario: &Scenario, files: &Files, nodes: u16, seed: u64) -> Result {
    let row = crate::play(scenario, files, nodes, seed).await;
    let text = serde_json::to_string(&row).map_err(|error| Error::Row {
        scenario: scenario.name.to_owned(),
        error,
    })?;
    let path = files.folder.join("row.json");
    fs::write(path, text).map_err(Error::io("writing the row"))
}

fn folder(plan: &Plan) -> Result<TempDir> {
    let folder = tempfile::Builder::new()
        .prefix("duet-laboratory-")
        .tempdir();
    let mut folder = folder.map_err(Error::io("making a folder for the nodes"))?;
    folder.disable_cleanup(plan.keep);
    Ok(folder)
}

fn is_there(need: Need, plan: &Plan) -> bool {
    match need {
        Need::EarlierNode => plan.earlier_node.is_some(),
        Need::Faketime => time::library().is_some(),
        Need::Strace => {
            let mut version = std::process::Command::new("strace");
            version.arg("--version").stdout(Stdio::null());
            version.status().is_ok_and(|status| status.success())
        }
    }
}

/// Writes the report: rows as lines of JSON, and as a table.
fn write(folder: &Path, rows: &[Row]) -> Result {
    let what = format!("writing the report into {}", folder.display());
    let io = |error| Error::io(what.clone())(error);
    fs::create_dir_all(folder).map_err(io)?;
    let mut lines = String::new();
    for row in rows {
        let line = serde_json::to_string(row).map_err(|error| Error::Row {
            scenario: row.scenario.clone(),
            error,
        })?;
        lines.push_str(&line);
        lines.push('\n');
    }
    fs::write(folder.join("rows.jsonl"), lines).map_err(io)?;
    fs::write(folder.join("table.md"), table(rows)).map_err(io)
}
