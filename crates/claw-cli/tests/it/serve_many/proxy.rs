//! A way between two programs that can be cut without either of them being told.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread;
use std::time::Duration;

/// Passes bytes on to an address, until it is cut: then the bytes are kept, and connections stay open.
pub(super) struct Way {
    pub(super) address: SocketAddr,
    is_cut: Arc<AtomicBool>,
}

impl Way {
    pub(super) fn to(target: &str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let way = Self {
            address: listener.local_addr().unwrap(),
            is_cut: Arc::default(),
        };
        let (is_cut, target) = (way.is_cut.clone(), target.to_owned());
        thread::spawn(move || {
            for from in listener.incoming().flatten() {
                let Ok(to) = TcpStream::connect(&target) else {
                    continue;
                };
                let back = (to.try_clone().unwrap(), from.try_clone().unwrap());
                for (from, to) in [(from, to), back] {
                    let is_cut = is_cut.clone();
                    thread::spawn(move || pass_on(from, to, &is_cut));
                }
            }
        });
        way
    }

    pub(super) fn cut(&self, is_cut: bool) {
        self.is_cut.store(is_cut, Relaxed);
    }
}

fn pass_on(mut from: TcpStream, mut to: TcpStream, is_cut: &AtomicBool) {
    let mut bytes = [0; 16 << 10];
    while let Ok(count @ 1..) = from.read(&mut bytes) {
        while is_cut.load(Relaxed) {
            thread::sleep(Duration::from_millis(10));
        }
        if to.write_all(&bytes[..count]).is_err() {
            break;
        }
    }
    let _ = to.shutdown(std::net::Shutdown::Write);
}
