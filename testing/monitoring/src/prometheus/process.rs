//! The process, and how it is asked.

use super::answers::{self, Line, Loaded, Sample, Target};
use crate::{Error, Result};
use serde_json::{json, Value};
use std::{
    fs::{self, File},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    thread::sleep,
    time::{Duration, Instant},
};
use tempfile::TempDir;

/// How long it may take to start.
const START_LIMIT: Duration = Duration::from_secs(30);
/// How long it may take to answer.
const ANSWER_LIMIT: Duration = Duration::from_secs(20);
/// How often something that is waited for is looked at.
const PAUSE: Duration = Duration::from_millis(200);
/// How much of its log an error shows.
const LOG_TAIL: usize = 4_000;
/// The job that nodes are read as.
const JOB: &str = "duet";

/// A running Prometheus. Dropping it kills it and removes its folder.
#[derive(Debug)]
pub struct Prometheus {
    process: Child,
    folder: TempDir,
    url: String,
    begun: Instant,
}

impl Drop for Prometheus {
    fn drop(&mut self) {
        // Nothing can be done about a process that the system does not let us end.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl Prometheus {
    /// Starts `program`, which reads the nodes at these addresses each second, and evaluates rules as often.
    ///
    /// `rules` are files, each as its name and its text.
    ///
    /// # Errors
    /// [`Error::Ended`] with its log when it does not take the rules, [`Error::TimedOut`] when it does not start.
    pub fn start(program: &Path, nodes: &[String], rules: &[(&str, String)]) -> Result<Self> {
        let folder = tempfile::Builder::new()
            .prefix("duet-prometheus-")
            .tempdir();
        let folder = folder.map_err(Error::io("making a folder for Prometheus"))?;
        let write = |name: &str, text: &str| {
            let path = folder.path().join(name);
            fs::write(&path, text).map_err(Error::io(format!("writing {}", path.display())))
        };
        for (name, text) in rules {
            write(name, text)?;
        }
        let names: Vec<_> = rules.iter().map(|(name, _)| name).collect();
        // JSON is YAML.
        let settings = json!({
            "global": { "scrape_interval": "1s", "scrape_timeout": "1s", "evaluation_interval": "1s" },
            "rule_files": names,
            "scrape_configs": [{ "job_name": JOB, "static_configs": [{ "targets": nodes }] }],
        });
        write("prometheus.yml", &settings.to_string())?;
        let process = spawn(program, folder.path())?;
        let mut prometheus = Self {
            process,
            folder,
            url: String::new(),
            begun: Instant::now(),
        };
        let listens = |prometheus: &mut Self| {
            prometheus.check_alive()?;
            Ok(address(&prometheus.log()).ok_or_else(|| "it does not listen yet".to_owned()))
        };
        let address = prometheus.wait("Prometheus to start", START_LIMIT, listens)?;
        prometheus.url = format!("http://{address}");
        Ok(prometheus)
    }

    /// Where it is.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// For how long it has been there.
    pub fn age(&self) -> Duration {
        self.begun.elapsed()
    }

    /// Waits until `look` answers with a value. Until then it answers with what it sees instead.
    ///
    /// # Errors
    /// Its first error, and [`Error::TimedOut`] with what it saw last.
    pub fn wait<T>(
        &mut self,
        what: &str,
        limit: Duration,
        mut look: impl FnMut(&mut Self) -> Result<std::result::Result<T, String>>,
    ) -> Result<T> {
        let begun = Instant::now();
        loop {
            match look(self)? {
                Ok(value) => return Ok(value),
                Err(last) if begun.elapsed() > limit => {
                    let what = what.to_owned();
                    return Err(Error::TimedOut { what, last });
                }
                Err(_) => sleep(PAUSE),
            }
        }
    }

    /// The nodes that it reads.
    ///
    /// # Errors
    /// [`Error`] when it does not answer.
    pub fn targets(&self) -> Result<Vec<Target>> {
        answers::targets(&self.ask("targets", &[])?)
    }

    /// The rules that it loaded, with their state.
    ///
    /// # Errors
    /// [`Error`] when it does not answer.
    pub fn rules(&self) -> Result<Vec<Loaded>> {
        answers::rules(&self.ask("rules", &[])?)
    }

    /// The values of an expression now.
    ///
    /// # Errors
    /// [`Error::Refused`] when Prometheus does not take the expression.
    pub fn query(&self, expression: &str) -> Result<Vec<Sample>> {
        answers::samples(&self.ask("query", &[("query", expression)])?)
    }

    /// The values of an expression from `start` to `end`, in seconds since 1970, one for each `step` seconds.
    ///
    /// # Errors
    /// [`Error::Refused`] when Prometheus does not take the expression.
    pub fn lines(&self, expression: &str, [start, end, step]: [u64; 3]) -> Result<Vec<Line>> {
        let [start, end, step] = [start, end, step].map(|seconds| seconds.to_string());
        let parameters = [
            ("query", expression),
            ("start", &start),
            ("end", &end),
            ("step", &step),
        ];
        answers::lines(&self.ask("query_range", &parameters)?)
    }

    fn ask(&self, method: &str, parameters: &[(&str, &str)]) -> Result<Value> {
        let url = format!("{}/api/v1/{method}", self.url);
        let asked = || {
            parameters
                .first()
                .map_or(method, |(_, text)| text)
                .to_owned()
        };
        let http = |source| Error::Http {
            url: url.clone(),
            source,
        };
        let request = attohttpc::get(&url)
            .params(parameters)
            .timeout(ANSWER_LIMIT);
        let answer = request.send().and_then(attohttpc::Response::bytes);
        let answer: Value =
            serde_json::from_slice(&answer.map_err(http)?).map_err(|source| Error::Json {
                what: asked(),
                source,
            })?;
        match answer.get("data") {
            Some(data) if answer.get("status").and_then(Value::as_str) == Some("success") => {
                Ok(data.clone())
            }
            _ => Err(Error::Refused {
                asked: asked(),
                message: answer["error"].as_str().unwrap_or("no reason").to_owned(),
            }),
        }
    }

    fn check_alive(&mut self) -> Result<()> {
        let status = self.process.try_wait();
        match status.map_err(Error::io("checking whether Prometheus runs"))? {
            None => Ok(()),
            Some(status) => {
                let log = self.log();
                let tail = log.len().saturating_sub(LOG_TAIL);
                let log = log.get(log.floor_char_boundary(tail)..);
                Err(Error::Ended {
                    status: status.to_string(),
                    log: log.unwrap_or_default().to_owned(),
                })
            }
        }
    }

    fn log(&self) -> String {
        fs::read_to_string(log_file(self.folder.path())).unwrap_or_default()
    }
}

fn log_file(folder: &Path) -> PathBuf {
    folder.join("log")
}

/// Starts the process. It chooses its port, and logs which.
fn spawn(program: &Path, folder: &Path) -> Result<Child> {
    let log = File::create(log_file(folder)).map_err(Error::io("making a log for Prometheus"))?;
    // A path is meant from where this program runs; a name alone is looked up.
    let is_path = program.components().count() > 1;
    let path = is_path.then(|| std::path::absolute(program)).transpose();
    let path = path.map_err(Error::io("finding the current folder"))?;
    let mut command = Command::new(path.as_deref().unwrap_or(program));
    command
        .arg("--config.file=prometheus.yml")
        .arg("--storage.tsdb.path=data")
        .args(["--web.listen-address=127.0.0.1:0", "--log.format=json"])
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(log);
    let started = command.spawn();
    started.map_err(Error::io(format!("starting {}", program.display())))
}

/// The address in its log, once it listens.
fn address(log: &str) -> Option<String> {
    let lines = log
        .lines()
        .filter_map(|line| serde_json::from_str(line).ok());
    let mut listening = lines.filter(|line: &Value| line["msg"] == "Listening on");
    Some(listening.next()?["address"].as_str()?.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_address_is_that_at_which_it_listens_and_not_that_which_it_was_given() {
        let log = r#"{"address":"127.0.0.1:0","msg":"Start listening for connections"}
{"address":"127.0.0.1:33411","msg":"Listening on"}
{"add"#;
        assert_eq!(address(log).as_deref(), Some("127.0.0.1:33411"));
        assert_eq!(address(r#"{"address":"127.0.0.1:0","msg":"Start"}"#), None);
    }
}
