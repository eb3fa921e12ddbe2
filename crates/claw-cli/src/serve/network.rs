//! Finds the addresses at which other devices reach this machine.

use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr, UdpSocket};

use claw_server::PublicUrl;

/// The beginnings of the names of interfaces to containers and virtual machines.
const INNER: [&str; 9] = [
    "docker", "br-", "veth", "virbr", "cni", "podman", "lxc", "vmnet", "vboxnet",
];

/// An address in the local network, or in the user's Tailscale network.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Address {
    pub(super) ip: Ipv4Addr,
    pub(super) is_tailscale: bool,
}

/// The address to listen on, and the addresses at which the server can then be reached.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Network {
    pub(super) listen: Ipv4Addr,
    /// The addresses. Addresses in the local network come first. The list is never empty.
    pub(super) addresses: Vec<Address>,
}

/// Returns the current networks of this machine.
pub(super) fn find() -> io::Result<Network> {
    let interfaces = if_addrs::get_if_addrs()?;
    let interfaces = interfaces.iter().filter_map(|one| match one.ip() {
        IpAddr::V4(ip) => Some((&*one.name, ip)),
        // IPv6 addresses are left out: browsers do not accept those that are valid only within a link.
        IpAddr::V6(_) => None,
    });
    let interfaces: Vec<_> = interfaces.collect();
    choose(&interfaces, primary()).ok_or_else(|| {
        let text = "this machine has no address in a local network";
        io::Error::new(io::ErrorKind::AddrNotAvailable, text)
    })
}

/// Returns the current addresses of this machine at which other devices reach a server on this port, as URLs. Empty if
/// there is none, such as while the machine has no network.
pub(super) fn urls(scheme: &str, port: u16) -> Vec<PublicUrl> {
    let addresses = find().map(|network| network.addresses).unwrap_or_default();
    let urls = addresses
        .iter()
        .filter_map(|one| PublicUrl::new(&format!("{scheme}://{}:{port}", one.ip)));
    urls.collect()
}

/// Returns the address from which this machine reaches other machines. Sends nothing: the system only reports the
/// address that it would use.
fn primary() -> Option<Ipv4Addr> {
    let socket = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0)).ok()?;
    // This address is reserved for documentation. Nothing is sent to it.
    socket.connect((Ipv4Addr::new(192, 0, 2, 1), 9)).ok()?;
    match socket.local_addr().ok()? {
        SocketAddr::V4(address) => Some(*address.ip()),
        SocketAddr::V6(_) => None,
    }
}

fn choose(interfaces: &[(&str, Ipv4Addr)], primary: Option<Ipv4Addr>) -> Option<Network> {
    let is_inner = |name: &str| INNER.iter().any(|inner| name.starts_with(inner));
    let mut addresses: Vec<_> = interfaces
        .iter()
        .filter(|(name, ip)| !is_inner(name) && (ip.is_private() || is_tailscale(*ip)))
        .map(|(_, ip)| Address {
            ip: *ip,
            is_tailscale: is_tailscale(*ip),
        })
        .collect();
    addresses.sort_by_key(|one| (one.is_tailscale, Some(one.ip) != primary));
    addresses.dedup();
    let first = *addresses.first()?;
    // If the machine is also in a public network, the server must not be reachable from that network.
    let is_public = |ip: &Ipv4Addr| {
        !(ip.is_loopback() || ip.is_private() || ip.is_link_local() || is_tailscale(*ip))
    };
    if interfaces.iter().any(|(_, ip)| is_public(ip)) {
        return Some(Network {
            listen: first.ip,
            addresses: vec![first],
        });
    }
    Some(Network {
        listen: Ipv4Addr::UNSPECIFIED,
        addresses,
    })
}

/// Returns whether an address is in the range of Tailscale, 100.64.0.0/10.
fn is_tailscale(ip: Ipv4Addr) -> bool {
    let [first, second, ..] = ip.octets();
    first == 100 && (64..128).contains(&second)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(interfaces: &[(&str, [u8; 4])], primary: Option<[u8; 4]>) -> Option<Network> {
        let interfaces: Vec<_> = interfaces
            .iter()
            .map(|(name, ip)| (*name, Ipv4Addr::from(*ip)))
            .collect();
        choose(&interfaces, primary.map(Ipv4Addr::from))
    }

    #[test]
    fn the_local_network_is_shown_first_and_containers_are_not() {
        let network = chosen(
            &[
                ("lo", [127, 0, 0, 1]),
                ("docker0", [172, 17, 0, 1]),
                ("tailscale0", [100, 101, 102, 103]),
                ("eth1", [10, 0, 0, 7]),
                ("wlan0", [192, 168, 1, 5]),
                ("eth2", [169, 254, 3, 4]),
            ],
            Some([192, 168, 1, 5]),
        );
        let network = network.unwrap();
        assert_eq!(network.listen, Ipv4Addr::UNSPECIFIED);
        let shown: Vec<_> = network
            .addresses
            .iter()
            .map(|one| (one.ip.to_string(), one.is_tailscale))
            .collect();
        let expected = [
            ("192.168.1.5", false),
            ("10.0.0.7", false),
            ("100.101.102.103", true),
        ];
        assert_eq!(shown, expected.map(|(ip, is)| (ip.to_owned(), is)));
    }

    #[test]
    fn a_public_network_does_not_lead_here() {
        let network = chosen(
            &[("eth0", [203, 0, 113, 9]), ("eth1", [10, 0, 0, 7])],
            Some([203, 0, 113, 9]),
        );
        let network = network.unwrap();
        assert_eq!(network.listen, Ipv4Addr::new(10, 0, 0, 7));
        assert_eq!(network.addresses.len(), 1);
    }

    #[test]
    fn a_machine_without_a_local_network_has_no_address() {
        assert_eq!(chosen(&[("lo", [127, 0, 0, 1])], None), None);
        assert_eq!(chosen(&[("eth0", [203, 0, 113, 9])], None), None);
    }
}
