//! Tests with PgBouncer in transaction mode, in which each transaction may use another connection
//! to the server.

use std::fs;
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, Stdio};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use claw_testkit::store::conformance;
use tempfile::TempDir;

use crate::fresh;
use crate::server::{self, command, connect, folder, free_address, url};

/// A PgBouncer in front of a server. It is ended when this value is dropped.
struct Bouncer {
    _folder: TempDir,
    address: SocketAddr,
    child: Child,
}

impl Bouncer {
    async fn start(server: SocketAddr) -> Self {
        let folder = folder().expect("a folder");
        let address = free_address().expect("a port");
        let users = folder.path().join("users");
        fs::write(&users, "\"claw\" \"\"\n").expect("a file");
        let settings = folder.path().join("settings");
        let text = format!(
            "[databases]\n* = host=127.0.0.1 port={}\n[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = {}\n\
             unix_socket_dir =\nauth_type = trust\nauth_file = {}\npool_mode = transaction\n\
             default_pool_size = 3\nserver_round_robin = 1\n",
            server.port(),
            address.port(),
            users.display()
        );
        fs::write(&settings, text).expect("a file");
        let paths = [
            Path::new("/usr/sbin/pgbouncer"),
            Path::new("/usr/bin/pgbouncer"),
        ];
        let program = paths.iter().find(|path| path.is_file());
        let program = program
            .expect("there is no pgbouncer: on Debian, `apt-get install pgbouncer` brings it");
        let child = command(program)
            .arg(&settings)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("pgbouncer");
        let mut bouncer = Self {
            _folder: folder,
            address,
            child,
        };
        while connect(&url(address)).await.is_err() {
            let status = bouncer.child.try_wait().expect("its status");
            assert!(status.is_none(), "pgbouncer ended with {status:?}");
            thread::sleep(Duration::from_millis(20));
        }
        bouncer
    }
}

impl Drop for Bouncer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[tokio::test]
async fn the_store_conforms_behind_a_bouncer() {
    let server = server::shared();
    let bouncer = Bouncer::start(server.address()).await;
    let url = url(bouncer.address);
    let report = conformance(async || Arc::new(fresh(&url).await)).await;
    assert!(report.skipped.is_empty());
}
