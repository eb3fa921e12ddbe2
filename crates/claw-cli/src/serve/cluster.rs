//! `claw serve --advertise`: makes the server one of several hosts.

use std::error::Error;
#[cfg(feature = "stores")]
use std::time::Duration;

#[cfg(feature = "stores")]
use claw_cluster::{ClusterKey, HostUrl};
use claw_server::ServerBuilder;

use crate::args::Serve;

/// The environment variable with the key. It is used if no file is named.
#[cfg(feature = "stores")]
const VARIABLE: &str = "CLAW_CLUSTER_KEY";

/// Makes the server one of several hosts, if --advertise is given.
#[cfg(feature = "stores")]
pub(super) fn set(
    serve: &Serve,
    has_store: bool,
    builder: ServerBuilder,
) -> Result<ServerBuilder, Box<dyn Error>> {
    let Some(address) = &serve.advertise else {
        return Ok(builder);
    };
    let url = HostUrl::new(address);
    let url = url.ok_or_else(|| {
        format!("--advertise {address}: not an address such as http://10.0.0.5:8000")
    })?;
    if !has_store {
        return Err("--advertise needs --store: the hosts have nothing else in common".into());
    }
    if serve.token_file.is_none() {
        return Err("--advertise needs --token-file: all hosts have the same token".into());
    }
    let (from, text) = match &serve.cluster_key_file {
        Some(file) => {
            let name = file.display().to_string();
            let text = std::fs::read_to_string(file).map_err(|error| format!("{name}: {error}"))?;
            (name, text)
        }
        None => (
            VARIABLE.to_owned(),
            std::env::var(VARIABLE).unwrap_or_default(),
        ),
    };
    if text.trim().is_empty() {
        return Err("--advertise needs the key that the hosts share: set CLAW_CLUSTER_KEY, or name a file with \
             --cluster-key-file"
            .into());
    }
    let key = ClusterKey::new(text.trim());
    let key =
        key.ok_or_else(|| format!("{from}: a key has 32 characters or more, and no spaces"))?;
    let builder = match serve.defer_after {
        Some(after) => builder.limits(|limits| limits.defer = Some(Duration::from_secs(after))),
        None => builder,
    };
    Ok(builder.cluster(url, key))
}

#[cfg(not(feature = "stores"))]
pub(super) fn set(
    serve: &Serve,
    _: bool,
    builder: ServerBuilder,
) -> Result<ServerBuilder, Box<dyn Error>> {
    if serve.advertise.is_some() || serve.cluster_key_file.is_some() {
        return Err("--advertise needs claw-cli's feature store, which is not built in".into());
    }
    Ok(builder)
}
