"""Several processes of the real CLI with one login, whose access token ends and whose refresh token works once.

`cargo xtask logins` starts it with the path of the CLI, the number of processes, its own path (for the pool) and that of
`claw`. The service that gives tokens and the
Messages API are scripted here, on loopback: the CLI reaches the one by HTTPS_PROXY, with a certificate of a test authority
(NODE_EXTRA_CA_CERTS), and the other by ANTHROPIC_BASE_URL. Any other host is refused. All tokens are made up.
"""

import http.server
import json
import os
import shutil
import socketserver
import ssl
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

CLI, PROCESSES, XTASK, CLAW = sys.argv[1], int(sys.argv[2]), sys.argv[3], sys.argv[4]
SCOPES = ["user:inference", "user:profile", "user:sessions:claude_code"]
# How long the service takes for a refresh: long enough for all processes to want one.
SERVICE = 1.5
PATIENCE = 120

# How the processes share the login, and what has to come of it: whether all turns after the end of the token succeed.
SCENARIOS = {
    "one folder": ("one configuration folder for all", True),
    "one folder, started late": ("the same, started after the end of the token", True),
    "pool": ("a pool of claw, with a session for each process", True),
    "pool, started late": ("the same, started after the end of the token", True),
    "serve": ("`claw serve`, with a session for each process", True),
    "serve, started late": ("the same, started after the end of the token", True),
    "copies": ("a folder each, with copies of the credentials", False),
    "links": ("a folder each, with links to the credentials", False),
    "without refresh tokens": ("a folder each, with copies that have no refresh token", False),
    "CLAUDE_CODE_OAUTH_TOKEN": ("the access token in the environment", False),
    "SIGTERM": ("one folder; all get SIGTERM while one refreshes; then another process", None),
    "SIGKILL": ("one folder; all are killed while one refreshes; then another process", None),
}

MESSAGE = {
    "id": "msg_1", "type": "message", "role": "assistant", "model": "scripted", "content": [],
    "stop_reason": None, "stop_sequence": None, "usage": {"input_tokens": 1, "output_tokens": 1},
}
ANSWER = [
    {"type": "message_start", "message": MESSAGE},
    {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
    {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "Yes."}},
    {"type": "content_block_stop", "index": 0},
    {"type": "message_delta", "delta": {"stop_reason": "end_turn", "stop_sequence": None}, "usage": {"output_tokens": 1}},
    {"type": "message_stop"},
]


class Service:
    """Which tokens are good, and what was asked."""

    def __init__(self):
        self.lock = threading.Lock()
        self.number, self.good = 0, "access-0"
        self.refreshed = self.refused = 0
        self.asked = threading.Event()

    def refresh(self, token):
        self.asked.set()
        with self.lock:
            is_good = token == f"refresh-{self.number}"
            if is_good:
                self.number += 1
                self.good = f"access-{self.number}"
                self.refreshed += 1
            else:
                self.refused += 1
            number = self.number
        time.sleep(SERVICE)
        if not is_good:
            return 400, {"error": "invalid_grant", "error_description": "Refresh token not found or invalid"}
        return 200, {
            "access_token": f"access-{number}", "refresh_token": f"refresh-{number}", "expires_in": 3600,
            "token_type": "Bearer", "scope": " ".join(SCOPES),
        }


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def reply(self, status, body, kind="application/json"):
        body = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_CONNECT(self):
        # Whatever host is meant, it is this one.
        self.send_response(200)
        self.end_headers()
        self.connection = self.server.tls.wrap_socket(self.connection, server_side=True)
        self.rfile, self.wfile = self.connection.makefile("rb"), self.connection.makefile("wb", 0)
        self.close_connection = False
        while not self.close_connection:
            self.handle_one_request()

    def body(self):
        return self.rfile.read(int(self.headers.get("content-length") or 0))

    def do_GET(self):
        self.body()
        self.reply(404, {})

    def do_POST(self):
        body, service = self.body(), self.server.service
        if self.path.startswith("/v1/oauth/token"):
            self.reply(*service.refresh(json.loads(body).get("refresh_token")))
        elif not self.path.startswith("/v1/messages"):
            self.reply(404, {})
        elif self.headers.get("authorization") != f"Bearer {service.good}":
            error = {"type": "authentication_error", "message": "OAuth token has expired."}
            self.reply(401, {"type": "error", "error": error})
        elif "count_tokens" in self.path:
            self.reply(200, {"input_tokens": 1})
        else:
            events = (f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in ANSWER)
            self.reply(200, "".join(events).encode(), "text/event-stream")


class Server(socketserver.ThreadingMixIn, http.server.HTTPServer):
    daemon_threads, request_queue_size = True, 100

    def handle_error(self, *_):
        # A CLI that was killed does not read its answer.
        pass


def certificates(folder):
    """A test authority, and a certificate of it for the hosts that the CLI asks."""

    def openssl(*args):
        subprocess.run(["openssl", *args], check=True, cwd=folder, capture_output=True)

    with open(f"{folder}/names", "w") as names:
        names.write("subjectAltName=DNS:platform.claude.com,DNS:api.anthropic.com,DNS:claude.ai\n")
    key = ["-newkey", "rsa:2048", "-nodes", "-days", "2"]
    openssl("req", "-x509", *key, "-keyout", "ca.key", "-out", "ca.pem", "-subj", "/CN=test authority")
    openssl("req", *key[:3], "-keyout", "key.pem", "-out", "request.pem", "-subj", "/CN=platform.claude.com")
    openssl("x509", "-req", "-in", "request.pem", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-days", "2",
            "-out", "certificate.pem", "-extfile", "names")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(f"{folder}/certificate.pem", f"{folder}/key.pem")
    return context


class Watch(threading.Thread):
    """Reads the files that the CLI rewrites, all the time, and counts the reads that found no whole file."""

    def __init__(self, paths):
        super().__init__(daemon=True)
        self.paths, self.reads, self.torn, self.is_over = paths, 0, 0, False
        self.start()

    def run(self):
        while not self.is_over:
            for path in self.paths:
                try:
                    with open(path) as file:
                        text = file.read()
                except FileNotFoundError:
                    continue
                self.reads += 1
                try:
                    json.loads(text)
                except ValueError:
                    self.torn += 1
            time.sleep(0.002)


class Processes:
    """The CLI itself, some times."""

    def __init__(self, scenario, count):
        command = [CLI, "-p", "--input-format", "stream-json", "--output-format", "stream-json", "--verbose"]
        self.all = [scenario.start(command, number) for number in range(count)]

    def turn(self):
        """How many of the processes answer a prompt."""
        answered = []

        def one(process):
            line = {"type": "user", "message": {"role": "user", "content": "Say yes."}}
            try:
                process.stdin.write(json.dumps(line) + "\n")
                process.stdin.flush()
                for line in process.stdout:
                    line = json.loads(line)
                    if line["type"] == "result":
                        answered.append(not line["is_error"] and line["result"] == "Yes.")
                        return
            except (BrokenPipeError, ValueError):
                pass

        in_threads(one, self.all)
        return sum(answered)

    def end(self):
        for process in self.all:
            process.stdin.close()
            process.wait(PATIENCE)


class Pool:
    """A pool of claw in a program of its own."""

    def __init__(self, scenario, count):
        command = [XTASK, "logins", "--pool", CLI, "--processes", str(count)]
        self.program = scenario.start(command)

    def turn(self):
        self.program.stdin.write("\n")
        self.program.stdin.flush()
        return int(self.program.stdout.readline())

    def end(self):
        self.program.stdin.close()
        self.program.wait(PATIENCE)


class Serve:
    """`claw serve`, with sessions that a program opens."""

    def __init__(self, scenario, count):
        token = f"{scenario.folder}/token"
        with open(token, "w") as file:
            file.write("a-token-of-the-measurement-" * 2)
        os.chmod(token, 0o600)
        command = [CLAW, "serve", "--listen", "127.0.0.1:0", "--processes", str(count), "--token-file", token]
        self.program = scenario.start(command)
        self.at = self.program.stdout.readline().split()[2].rstrip(".")
        self.token = open(token).read()
        self.sessions = [self.ask("POST", "/api/sessions", {"project": "work"})["id"] for _ in range(count)]

    def ask(self, method, path, body=None):
        headers = {"authorization": f"Bearer {self.token}", "content-type": "application/json"}
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.at + path, data, headers, method=method)
        # No proxy: it is on loopback.
        with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, timeout=PATIENCE) as response:
            return json.loads(response.read() or b"null")

    def turn(self):
        answered = []

        def one(session):
            path = f"/api/sessions/{session}"
            before = len(self.ask("GET", f"{path}/elements"))
            self.ask("POST", f"{path}/prompts", {"text": "Say yes."})
            ends = time.time() + PATIENCE
            while time.time() < ends:
                state = self.ask("GET", path)["state"]
                if state["phase"] == "idle":
                    new = self.ask("GET", f"{path}/elements")[before:]
                    texts = [element["content"].get("text") for element in new]
                    answered.append(state["error"] is None and "Yes." in texts)
                    return
                time.sleep(0.05)

        in_threads(one, self.sessions)
        return sum(answered)

    def end(self):
        self.program.terminate()
        self.program.wait(PATIENCE)


def in_threads(function, arguments):
    threads = [threading.Thread(target=function, args=(argument,), daemon=True) for argument in arguments]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE)


class Scenario:
    def __init__(self, name, folder):
        self.name, self.folder, self.service = name, folder, Service()
        self.home = f"{folder}/home"
        self.credentials = f"{self.home}/.claude/.credentials.json"
        os.makedirs(f"{self.home}/.claude")
        os.makedirs(f"{folder}/work")
        self.server = Server(("127.0.0.1", 0), Handler)
        self.server.service, self.server.tls = self.service, certificates(folder)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.is_late = name.endswith("started late")
        self.write(self.credentials, time.time() + (-60 if self.is_late else 3600))
        if self.is_late:
            self.service.good = "none"

    def write(self, path, ends, with_refresh=True):
        login = {"accessToken": "access-0", "refreshToken": "refresh-0", "expiresAt": int(ends * 1000), "scopes": SCOPES,
                 "subscriptionType": "max", "rateLimitTier": "default_claude_max_5x"}
        if not with_refresh:
            del login["refreshToken"]
        with open(path, "w") as file:
            json.dump({"claudeAiOauth": login}, file)
        os.chmod(path, 0o600)

    def environment(self, number):
        at = f"http://127.0.0.1:{self.server.server_address[1]}"
        env = {
            "PATH": os.environ["PATH"], "CLAW_CLAUDE_PATH": CLI, "HOME": self.home, "ANTHROPIC_BASE_URL": at, "HTTPS_PROXY": at,
            "NO_PROXY": "127.0.0.1", "NODE_EXTRA_CA_CERTS": f"{self.folder}/ca.pem", "DISABLE_TELEMETRY": "1",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "DISABLE_AUTOUPDATER": "1",
        }
        if self.name == "CLAUDE_CODE_OAUTH_TOKEN":
            env["CLAUDE_CODE_OAUTH_TOKEN"] = "access-0"
        if self.name in ("copies", "links", "without refresh tokens"):
            own = f"{self.folder}/own-{number}"
            os.makedirs(own)
            env["CLAUDE_CONFIG_DIR"] = own
            if self.name == "links":
                os.symlink(self.credentials, f"{own}/.credentials.json")
            else:
                self.write(f"{own}/.credentials.json", time.time() + 3600, self.name == "copies")
        return env

    def start(self, command, number=0):
        return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                env=self.environment(number), cwd=f"{self.folder}/work", text=True)

    def run(self):
        watch = Watch([self.credentials, f"{self.home}/.claude.json"])
        kind = {"pool": Pool, "serve": Serve}.get(self.name.split(",")[0], Processes)
        fleet, wanted = kind(self, PROCESSES), PROCESSES
        before = PROCESSES if self.is_late else fleet.turn()
        # From here on the access token is refused, as if its time were over.
        self.service.good = "none" if self.service.number == 0 else self.service.good
        if self.name in ("SIGTERM", "SIGKILL"):
            ending = threading.Thread(target=fleet.turn, daemon=True)
            ending.start()
            self.service.asked.wait(PATIENCE)
            for process in fleet.all:
                process.terminate() if self.name == "SIGTERM" else process.kill()
            for process in fleet.all:
                process.wait(PATIENCE)
            ending.join(PATIENCE)
            time.sleep(SERVICE)
            fleet, wanted = Processes(self, 1), 1
        after = fleet.turn()
        fleet.end()
        watch.is_over = True
        self.server.shutdown()
        self.server.server_close()
        return before, after, wanted, watch


def main():
    print("| the login is shared by | turns before | after the end of the token | refreshes | refused | torn reads |")
    print("| --- | --- | --- | ---: | ---: | ---: |")
    wrong = []
    for name, (what, succeeds) in SCENARIOS.items():
        folder = tempfile.mkdtemp(prefix="claw-logins-")
        try:
            scenario = Scenario(name, folder)
            before, after, wanted, watch = scenario.run()
        finally:
            shutil.rmtree(folder)
        service = scenario.service
        print(f"| {what} | {before} of {PROCESSES} | {after} of {wanted} | {service.refreshed} | {service.refused} | "
              f"{watch.torn} of {watch.reads} |", flush=True)
        if before != PROCESSES:
            wrong.append(f"{what}: {before} of {PROCESSES} turns succeeded before")
        if succeeds and (after != wanted or service.refreshed != 1 or service.refused or watch.torn):
            wrong.append(f"{what}: somebody was logged out, the token was refreshed more than once, or a file was torn")
        if succeeds is False and after == wanted:
            wrong.append(f"{what}: nobody was logged out: the advice in docs/guides/many-sessions.md is out of date")
    if wrong:
        sys.exit("error: " + "\n".join(wrong))


main()
