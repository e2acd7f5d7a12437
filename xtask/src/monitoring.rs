//! The Prometheus rules and the dashboard: tested, and run on a network of real nodes.

use crate::{
    cargo::{self, root},
    programs,
    prometheus::Prometheus,
    result::Result,
    tools,
};
use std::{
    env,
    ffi::OsString,
    path::{Path, PathBuf},
    process::Command,
};

/// The test that starts a network and a Prometheus. `cargo test` does not run it, because it has no Prometheus.
const ON_A_NETWORK: [&str; 2] = ["--test", "monitoring"];
/// The book's picture of the dashboard, the seconds that it covers, and its size.
const PICTURE: &str = "docs/operators/dashboard.png";
const PICTURE_SECONDS: &str = "180";
const PICTURE_SIZE: &str = "--window-size=1400,1500";

/// Further actions.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// Redraws the book's picture of the dashboard.
    #[arg(long)]
    picture: bool,
}

/// Checks the dashboard against Grafana's types, tests the rules, and runs both.
pub(crate) fn run(options: &Options) -> Result {
    tools::for_javascript()?;
    tools::for_building()?;
    let prometheus = Prometheus::installed()?;
    cargo::run(grafana("npm").args(["ci", "--prefer-offline", "--no-audit", "--no-fund"]))?;
    cargo::run(
        grafana("node").args(["check.mjs", "../../../operations/monitoring/dashboard.json"]),
    )?;
    let rules = |arguments: [&str; 3]| {
        let mut promtool = Command::new(&prometheus.promtool);
        promtool
            .args(arguments)
            .current_dir(root().join("operations/monitoring"));
        cargo::run(&mut promtool)
    };
    for (file, tests) in [
        ("rules.yml", "rules_test.yml"),
        ("relay.yml", "relay_test.yml"),
    ] {
        rules(["check", "rules", file])?;
        rules(["test", "rules", tests])?;
    }

    programs::build()?;
    let page = std::path::absolute(cargo::target_directory().join("monitoring.html"))?;
    let mut test = cargo::workspace("test");
    test.args(ON_A_NETWORK);
    test.env("DUET_PROMETHEUS", &prometheus.server);
    test.env("DUET_MONITORING_PAGE", &page);
    if options.picture {
        test.env("DUET_MONITORING_SECONDS", PICTURE_SECONDS);
    }
    cargo::run(&mut test)?;
    println!("The panels: {}", page.display());
    if options.picture {
        picture(&page)?;
    }
    Ok(())
}

fn grafana(program: &str) -> Command {
    let mut command = Command::new(program);
    command.current_dir(root().join("testing/monitoring/grafana"));
    command
}

/// Makes a browser draw the page.
fn picture(page: &Path) -> Result {
    tools::for_browsing()?;
    let browser = env::var_os("CHROMIUM").unwrap_or_else(|| "chromium".into());
    let mut shot = OsString::from("--screenshot=");
    shot.push(root().join(PICTURE));
    let mut command = Command::new(PathBuf::from(browser));
    command
        .args([
            "--headless",
            "--no-sandbox",
            "--hide-scrollbars",
            PICTURE_SIZE,
        ])
        .arg(shot)
        .arg(page);
    cargo::run(&mut command)
}
