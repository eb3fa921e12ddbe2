//! The addresses to which messages may be sent: only push services on the internet, and no other service that the
//! server can reach.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use tokio::net::lookup_host;

use crate::notify::http::Target;

/// Maximum length of a subscription's address, in bytes.
const LONGEST: usize = 1024;
/// The port of push services.
const HTTPS: u16 = 443;

/// The rules that decide to which addresses messages may be sent.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bounds {
    /// Whether a push service may be on loopback and without TLS. Only tests set this.
    pub(super) may_be_loopback: bool,
}

/// The reason why nothing is sent to an address.
#[derive(Debug, thiserror::Error)]
pub(crate) enum AddressError {
    #[error("the address of the push service is none of https at its own port")]
    NotHttps,
    #[error("the push service is not on the internet")]
    NotPublic,
    #[error("the push service is not found: {0}")]
    NotFound(#[from] std::io::Error),
    #[error("{0}")]
    Tls(String),
}

impl Bounds {
    /// Returns the target of an endpoint, and the IP addresses that its host has now. The caller must connect only to these
    /// addresses.
    pub(super) async fn check(
        self,
        endpoint: &str,
    ) -> Result<(Target, Vec<SocketAddr>), AddressError> {
        let is_https = endpoint.starts_with("https://") || self.may_be_loopback;
        if endpoint.len() > LONGEST || !is_https {
            return Err(AddressError::NotHttps);
        }
        let target = Target::new(endpoint).map_err(|error| match error {
            crate::NotifyError::Tls(why) => AddressError::Tls(why),
            _ => AddressError::NotHttps,
        })?;
        // Push services use the port of HTTPS. Another port would be another service.
        if target.port != HTTPS && !self.may_be_loopback {
            return Err(AddressError::NotHttps);
        }
        let found = lookup_host((&*target.host, target.port)).await?;
        let found: Vec<_> = found.collect();
        let is_fit = |address: &SocketAddr| {
            let ip = address.ip();
            is_public(ip) || (self.may_be_loopback && ip.is_loopback())
        };
        if found.is_empty() || !found.iter().all(is_fit) {
            return Err(AddressError::NotPublic);
        }
        Ok((target, found))
    }
}

/// Whether an IP address is a public address of the internet, and not an address of a single machine or of a private network.
fn is_public(ip: IpAddr) -> bool {
    match ip {
        IpAddr::V4(ip) => is_public_v4(ip),
        IpAddr::V6(ip) => is_public_v6(ip),
    }
}

fn is_public_v4(ip: Ipv4Addr) -> bool {
    let [a, b, c, _] = ip.octets();
    !(a == 0
        || a == 10
        || a == 127
        || a >= 224
        || (a == 100 && (64..128).contains(&b))
        || (a == 169 && b == 254)
        || (a == 172 && (16..32).contains(&b))
        || (a == 192 && b == 168)
        || (a == 192 && b == 0 && (c == 0 || c == 2))
        || (a == 192 && b == 88 && c == 99)
        || (a == 198 && (b == 18 || b == 19))
        || (a == 198 && b == 51 && c == 100)
        || (a == 203 && b == 0 && c == 113))
}

fn is_public_v6(ip: Ipv6Addr) -> bool {
    let parts = ip.segments();
    let v4 = |high: u16, low: u16| {
        let ([a, b], [c, d]) = (high.to_be_bytes(), low.to_be_bytes());
        is_public_v4(Ipv4Addr::new(a, b, c, d))
    };
    match parts {
        // These IPv6 addresses contain an IPv4 address: mapped addresses, NAT64 and 6to4. So the IPv4 address decides.
        [0, 0, 0, 0, 0, 0xffff, high, low]
        | [0x64, 0xff9b, 0, 0, 0, 0, high, low]
        | [0x2002, high, low, ..] => v4(high, low),
        // The addresses of Teredo, benchmarks, ORCHID and documentation are not public.
        [0x2001, second, ..] => second >= 0x200 && second != 0xdb8,
        [0x3fff, ..] => false,
        // All other global unicast addresses are public.
        [first, ..] => first & 0xe000 == 0x2000,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_machines_and_of_networks_of_their_own_are_not_public() {
        for ip in [
            "0.0.0.0",
            "0.1.2.3",
            "10.1.2.3",
            "100.64.0.1",
            "127.0.0.1",
            "127.9.9.9",
            "169.254.169.254",
            "172.16.0.1",
            "172.31.255.255",
            "192.168.1.1",
            "192.0.0.8",
            "192.0.2.1",
            "198.18.0.1",
            "198.51.100.1",
            "203.0.113.1",
            "224.0.0.1",
            "255.255.255.255",
            "::",
            "::1",
            "::127.0.0.1",
            "::ffff:127.0.0.1",
            "::ffff:10.0.0.1",
            "::ffff:169.254.169.254",
            "64:ff9b::7f00:1",
            "64:ff9b::a00:1",
            "64:ff9b:1::1",
            "fe80::1",
            "fec0::1",
            "fc00::1",
            "fd12:3456::1",
            "ff02::1",
            "2001::1",
            "2001:db8::1",
            "2002:7f00:1::",
            "2002:c0a8:101::",
            "100::1",
        ] {
            assert!(!is_public(ip.parse().unwrap()), "{ip}");
        }
        for ip in [
            "1.1.1.1",
            "8.8.8.8",
            "100.63.0.1",
            "172.15.0.1",
            "172.32.0.1",
            "192.167.1.1",
            "2606:4700::1111",
            "2a00:1450:4001::200a",
            "::ffff:8.8.8.8",
            "64:ff9b::808:808",
        ] {
            assert!(is_public(ip.parse().unwrap()), "{ip}");
        }
    }

    #[tokio::test]
    async fn endpoints_that_lead_inside_are_refused_however_they_are_written() {
        let bounds = Bounds {
            may_be_loopback: false,
        };
        for endpoint in [
            "http://8.8.8.8/x",
            "ftp://8.8.8.8/",
            "https://",
            "https://127.0.0.1/x",
            "https://127.0.0.1:8000/api/sessions",
            "https://localhost/",
            "https://LOCALHOST./",
            "https://[::1]/",
            "https://[::ffff:127.0.0.1]/",
            "https://10.0.0.1/",
            "https://169.254.169.254/latest/meta-data",
            "https://192.168.0.1/",
            "https://[fd00::1]/",
            "https://[fe80::1]/",
            "https://0/",
            "https://0x7f000001/",
            "https://2130706433/",
            "https://127.1/",
            "https://8.8.8.8:22/",
            "https://8.8.8.8:8443/",
            "https://8.8.8.8:80/",
            "https://user@8.8.8.8/",
            "https://8.8.8.8@127.0.0.1/",
            "//8.8.8.8/",
            "",
            "file:///etc/passwd",
        ] {
            assert!(bounds.check(endpoint).await.is_err(), "{endpoint}");
        }
        let long = format!("https://8.8.8.8/{}", "x".repeat(LONGEST));
        assert!(bounds.check(&long).await.is_err());
        let (_, addresses) = bounds.check("https://8.8.8.8/push").await.unwrap();
        assert_eq!(addresses, ["8.8.8.8:443".parse().unwrap()]);
    }
}
