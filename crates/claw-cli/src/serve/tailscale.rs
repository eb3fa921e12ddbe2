//! The certificate that Tailscale gets for the name of this machine.

use std::io;
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use claw_client::QueryOptions;
use claw_client::transport::{create_private_file, environment};
use serde::Deserialize;
use tokio::process::Command;

/// The maximum time for the state of Tailscale.
const STATE: Duration = Duration::from_secs(5);
/// The maximum time for a certificate. A new one takes several seconds.
const CERTIFICATE: Duration = Duration::from_secs(30);
/// The time between two renewals. `tailscale cert` gets a new certificate only if the last one expires soon.
const RENEWED: Duration = Duration::from_hours(12);

/// A certificate in files that only the user can read.
#[derive(Debug)]
pub(super) struct Found {
    /// The name of this machine in the user's network of Tailscale.
    pub(super) name: String,
    pub(super) certificate: PathBuf,
    pub(super) key: PathBuf,
}

/// The output of `tailscale status --json` about this machine.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Status {
    #[serde(default)]
    backend_state: String,
    #[serde(rename = "Self")]
    own: Option<Own>,
    cert_domains: Option<Vec<String>>,
}

#[derive(Debug, Deserialize)]
struct Own {
    #[serde(rename = "DNSName", default)]
    name: String,
    #[serde(rename = "TailscaleIPs")]
    ips: Option<Vec<IpAddr>>,
}

/// Gets a certificate for the name that Tailscale has given this machine. Returns `None` if Tailscale is not installed
/// or does not run, or if none of these addresses comes from Tailscale.
///
/// # Errors
///
/// Fails with the reason why there is no certificate, as a sentence without its end.
pub(super) async fn certificate(
    folder: &Path,
    listening: &[IpAddr],
) -> Result<Option<Found>, String> {
    let arguments = ["status", "--json", "--peers=false"];
    let Some(text) = run(&arguments, STATE).await? else {
        return Ok(None);
    };
    let status: Status = serde_json::from_slice(&text)
        .map_err(|error| format!("tailscale status prints no state: {error}"))?;
    if status.backend_state != "Running" {
        return Ok(None);
    }
    let own = status.own.ok_or("tailscale status has no machine")?;
    if !own
        .ips
        .unwrap_or_default()
        .iter()
        .any(|ip| listening.contains(ip))
    {
        return Ok(None);
    }
    let name = own.name.trim_end_matches('.').to_ascii_lowercase();
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'.';
    let is_name = name.contains('.') && !name.starts_with('-') && name.bytes().all(is_plain);
    if !is_name {
        return Err("Tailscale has no name for this machine: turn MagicDNS on".to_owned());
    }
    if !status.cert_domains.unwrap_or_default().contains(&name) {
        return Err("Tailscale has no certificates: turn HTTPS on in its settings".to_owned());
    }
    let found = Found {
        certificate: folder.join("tailscale.crt"),
        key: folder.join("tailscale.key"),
        name,
    };
    found.get().await?;
    Ok(Some(found))
}

impl Found {
    /// Gets the certificate if there is none yet, or if it expires soon.
    async fn get(&self) -> Result<(), String> {
        // Tailscale writes into existing files. They are created first, so that only the user can read the key at any
        // time.
        for file in [&self.certificate, &self.key] {
            if !file.exists() {
                create_private_file(file).map_err(|error| error.to_string())?;
            }
        }
        let (certificate, key) = (self.certificate.to_str(), self.key.to_str());
        let (Some(certificate), Some(key)) = (certificate, key) else {
            return Err("the configuration folder has a name that is not text".to_owned());
        };
        let arguments = [
            "cert",
            "--cert-file",
            certificate,
            "--key-file",
            key,
            &self.name,
        ];
        let got = run(&arguments, CERTIFICATE).await?;
        got.map(drop).ok_or_else(|| "tailscale is gone".to_owned())
    }

    /// Renews the certificate, for as long as the server runs.
    pub(super) async fn renew(self) {
        loop {
            tokio::time::sleep(RENEWED).await;
            if let Err(reason) = self.get().await {
                tracing::warn!("the certificate of Tailscale is not renewed: {reason}");
            }
        }
    }
}

/// Runs `tailscale`, and returns its output. Returns `None` if there is no such program.
async fn run(arguments: &[&str], within: Duration) -> Result<Option<Vec<u8>>, String> {
    let mut command = Command::new("tailscale");
    command
        .args(arguments)
        .stdin(Stdio::null())
        .kill_on_drop(true);
    // `tailscale` does not get the variables that CLIs do not get either, because they may contain
    // secrets of claw.
    for (name, value) in environment(&QueryOptions::default()) {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    let what = format!("tailscale {}", arguments[0]);
    let ran = match tokio::time::timeout(within, command.output()).await {
        Err(_) => return Err(format!("{what} did not end within {} s", within.as_secs())),
        Ok(Err(error)) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Ok(Err(error)) => return Err(format!("{what}: {error}")),
        Ok(Ok(ran)) => ran,
    };
    if ran.status.success() {
        return Ok(Some(ran.stdout));
    }
    let reason = String::from_utf8_lossy(&ran.stderr);
    let reason = reason.lines().find(|line| !line.trim().is_empty());
    Err(format!(
        "{what} failed: {}",
        reason.unwrap_or("it printed no reason").trim()
    ))
}
