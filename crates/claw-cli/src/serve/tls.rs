//! The TLS of `claw serve`: a certificate of the user's own, or those of `--phone`.

use std::error::Error;
use std::net::SocketAddr;
use std::path::Path;

use claw_server::{Authority, Tls, TlsSetupError};

use super::tailscale;
use crate::args::Serve;
use crate::escape;

/// The maximum length of a line.
const LONGEST: usize = 400;

/// The TLS of a server for the devices in the local network.
pub(super) struct ForDevices {
    pub(super) tls: Tls,
    /// The name that Tailscale has given this machine, with a certificate for it.
    pub(super) name: Option<String>,
    /// The name of the authority.
    pub(super) authority: String,
    /// The SHA-256 of the authority's certificate, as [`Authority::fingerprint`] returns it.
    pub(super) fingerprint: String,
    /// The reason why there is no certificate of Tailscale.
    pub(super) reason: Option<String>,
}

impl Serve {
    /// Returns the TLS with the user's own certificate, if there is one.
    pub(super) fn own_tls(&self) -> Result<Option<Tls>, TlsSetupError> {
        let files = self.tls_cert.as_ref().zip(self.tls_key.as_ref());
        let open = |(certificate, key)| Tls::open(certificate, key);
        files.map(open).transpose()
    }

    /// Returns the TLS with an authority of this machine, and with the certificate of Tailscale if there is one. The
    /// files of the TLS are in this folder.
    pub(super) async fn tls_for_devices(
        &self,
        folder: &Path,
        addresses: &[SocketAddr],
    ) -> Result<ForDevices, Box<dyn Error>> {
        let ips: Vec<_> = addresses.iter().map(SocketAddr::ip).collect();
        let authority = Authority::open(folder, &machine(), &ips);
        let without = |error| format!("--phone: {error}. Without TLS: --no-tls");
        let authority = authority.map_err(without)?;
        let (shown, fingerprint) = (authority.name().to_owned(), authority.fingerprint());
        let mut names: Vec<_> = ips.iter().map(ToString::to_string).collect();
        for name in &self.allow_host {
            if authority.permits(name) {
                names.push(name.clone());
            } else {
                let text =
                    format!("claw: no certificate is for {name}: only --tls-cert can have one");
                anstream::eprintln!("{}", escape::one_line(&text, LONGEST));
            }
        }
        let tls = Tls::local(authority, names.iter().map(String::as_str)).map_err(without)?;
        let mut made = ForDevices {
            tls,
            name: None,
            authority: shown,
            fingerprint,
            reason: None,
        };
        match tailscale::certificate(folder, &ips).await {
            Ok(Some(found)) => {
                match made
                    .tls
                    .clone()
                    .named(&found.name, &found.certificate, &found.key)
                {
                    Ok(tls) => {
                        made.tls = tls;
                        made.name = Some(found.name.clone());
                        tokio::spawn(found.renew());
                    }
                    Err(error) => made.reason = Some(error.to_string()),
                }
            }
            Ok(None) => {}
            Err(reason) => made.reason = Some(reason),
        }
        made.reason = made.reason.map(|reason| escape::one_line(&reason, LONGEST));
        Ok(made)
    }
}

/// Returns the name of this machine. The name is empty if the machine has none.
fn machine() -> String {
    #[cfg(unix)]
    let name = rustix::system::uname()
        .nodename()
        .to_string_lossy()
        .into_owned();
    #[cfg(not(unix))]
    let name = std::env::var("COMPUTERNAME").unwrap_or_default();
    name
}
