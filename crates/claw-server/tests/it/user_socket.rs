//! The socket of the server's user: requests without a token, and who cannot send them.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;

use claw_server::{Audit, AuditEntry, AuditSender, NewUser, Role, UserSocket, Users};
use claw_testkit::agent::Script;
use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;
use tokio::sync::oneshot;

use crate::client::{Running, soon};

/// A server with users and an audit log, which also listens on a socket.
struct Served {
    running: Running,
    socket: PathBuf,
    stop: oneshot::Sender<()>,
    serving: tokio::task::JoinHandle<std::io::Result<()>>,
}

impl Served {
    async fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("users.json");
        Users::add(&file, NewUser::new("vi", Role::View)).unwrap();
        let users = Users::open(&file).unwrap();
        let audit = Audit::open(folder.path().join("audit")).unwrap();
        let script = Script::reply("Hi.");
        let running = Running::start_in(script, folder, |it| it.users(users).audit(audit)).await;
        let path = running.folder.path().join("run/serve.sock");
        let socket = UserSocket::bind(&path).unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let (stop, stopped) = oneshot::channel();
        let server = running.server.clone();
        let serving = tokio::spawn(async move {
            let stopped = async { drop(stopped.await) };
            server.serve_with_socket(listener, socket, stopped).await
        });
        Self {
            running,
            socket: path,
            stop,
            serving,
        }
    }

    /// The response to a request with these headers over the socket.
    async fn ask(&self, request: &str, headers: &str, body: &str) -> String {
        let mut stream = UserSocket::connect(&self.socket).await.unwrap();
        let length = body.len();
        let request = format!(
            "{request} HTTP/1.1\r\n{headers}Connection: close\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}"
        );
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut answer = String::new();
        soon(stream.read_to_string(&mut answer)).await.unwrap();
        answer
    }
}

#[tokio::test]
async fn a_program_of_the_servers_user_is_the_owner_without_a_token() {
    let served = Served::start().await;
    let new = json!({"project": "shop", "mode": "plan"}).to_string();
    let answer = served
        .ask("POST /api/sessions", "Host: claw\r\n", &new)
        .await;
    assert!(answer.starts_with("HTTP/1.1 201"), "{answer}");
    let log = fs::read_to_string(served.running.folder.path().join("audit")).unwrap();
    let entry: AuditEntry = serde_json::from_str(log.trim()).unwrap();
    assert_eq!((entry.by, &entry.user), (AuditSender::Socket, &None));
    let process = format!("process {}", std::process::id());
    if cfg!(target_os = "linux") {
        assert_eq!(entry.from, Some(process));
    }
    // The same request over TCP needs the token.
    let answer = served
        .running
        .raw("GET /api/sessions HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
        .await;
    assert_eq!(answer.status, 401);
    // The server ends, and so does its socket.
    served.stop.send(()).unwrap();
    soon(served.serving).await.unwrap().unwrap();
    assert!(!served.socket.exists());
}

#[tokio::test]
async fn a_browser_does_not_reach_the_socket_through_a_program_that_forwards_to_it() {
    let served = Served::start().await;
    let list = "GET /api/sessions";
    let good = served.ask(list, "Host: claw\r\n", "").await;
    assert!(good.starts_with("HTTP/1.1 200"), "{good}");
    for headers in [
        "",
        "Host: localhost\r\n",
        "Host: 127.0.0.1:8000\r\n",
        "Host: claw:8000\r\n",
        "Host: claw\r\nHost: claw\r\n",
        "Host: claw\r\nOrigin: http://claw\r\n",
        "Host: claw\r\nOrigin: null\r\n",
        "Host: claw\r\nCookie: a=b\r\n",
        "Host: claw\r\nSec-Fetch-Site: same-origin\r\n",
    ] {
        let answer = served.ask(list, headers, "").await;
        let refused = ["HTTP/1.1 403", "HTTP/1.1 400"];
        let is_refused = refused.iter().any(|status| answer.starts_with(status));
        assert!(is_refused, "{headers}{answer}");
    }
}

/// A thread can have another user than its process on Linux alone, and only root can set it.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_process_of_another_user_gets_no_answer_even_if_it_reaches_the_socket() {
    use std::io::{Read as _, Write as _};
    use std::os::unix::net::UnixStream;

    if !rustix::process::geteuid().is_root() {
        return;
    }
    let served = Served::start().await;
    let socket = served.socket.clone();
    let nobody = move || {
        rustix::thread::set_thread_uid(rustix::thread::Uid::from_raw(65534)).unwrap();
        let mut stream = UnixStream::connect(&socket)?;
        // The server may have closed the connection by now.
        let _ =
            stream.write_all(b"GET /health HTTP/1.1\r\nHost: claw\r\nConnection: close\r\n\r\n");
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        Ok::<_, std::io::Error>(answer)
    };
    let run = |nobody: Box<dyn FnOnce() -> std::io::Result<Vec<u8>> + Send>| {
        soon(tokio::task::spawn_blocking(|| {
            std::thread::spawn(nobody).join().unwrap()
        }))
    };
    // The folder lets nobody in.
    let refused = run(Box::new(nobody.clone())).await.unwrap().unwrap_err();
    assert_eq!(refused.kind(), std::io::ErrorKind::PermissionDenied);
    // And if it did: the server recognises who connects.
    let folder = served.socket.parent().unwrap();
    let parent = folder.parent().unwrap();
    for (path, mode) in [(parent, 0o755), (folder, 0o755), (&*served.socket, 0o777)] {
        fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
    }
    let answer = run(Box::new(nobody)).await.unwrap().unwrap();
    assert_eq!(String::from_utf8_lossy(&answer), "");
    // A client refuses the folder that is open to others.
    let error = UserSocket::connect(&served.socket).await.unwrap_err();
    assert!(error.to_string().contains("0700"), "{error}");
}
