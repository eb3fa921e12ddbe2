#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]

mod host;
mod key;
mod nonces;
mod peer;
mod url;

pub use host::{Host, RequestError};
pub use key::{ClusterKey, HEADER, SignedRequest, ToSign};
pub use peer::{Peer, PeerError};
pub use url::HostUrl;
