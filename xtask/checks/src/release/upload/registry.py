"""A registry on loopback that takes uploads, with a limit of new names as the real one has: BURST at once. Each later one it
takes PAUSE seconds after it has refused it.

The packages of others it has from the start: the index of the registry in a folder, as the step `registry` makes it. It prints
its port, and then each upload. It ends with its input.
"""

import hashlib
import http.server
import json
import os
import struct
import sys
import threading
import time

FOLDER, OURS, BURST, PAUSE = sys.argv[1], set(sys.argv[2].split(",")), int(sys.argv[3]), float(sys.argv[4])
uploaded, refused, lock = {}, {}, threading.Lock()


def place(name):
    name = name.lower()
    return {1: "1", 2: "2", 3: f"3/{name[:1]}"}.get(len(name), f"{name[:2]}/{name[2:4]}") + f"/{name}"


def is_taken(name):
    """Whether one more new name is taken now. Behind the first ones, each is refused once."""
    if len(uploaded) < BURST:
        return True
    now = time.monotonic()
    return now - refused.setdefault(name, now) >= PAUSE


def line(metadata, package):
    """What the index says of an upload. An upload names things by other words than the index does."""
    needs = []
    for need in metadata["deps"]:
        renamed = need.get("explicit_name_in_toml")
        needs.append({
            "name": renamed or need["name"], "package": need["name"] if renamed else None, "req": need["version_req"],
            "features": need["features"], "optional": need["optional"], "default_features": need["default_features"],
            "target": need["target"], "kind": need["kind"],
        })
    return json.dumps({
        "name": metadata["name"], "vers": metadata["vers"], "deps": needs, "cksum": hashlib.sha256(package).hexdigest(),
        "features": metadata["features"], "links": metadata["links"], "yanked": False, "v": 2,
    })


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # An answer is one packet: hundreds are asked for.
    wbufsize, disable_nagle_algorithm = -1, True

    def log_message(self, *_):
        pass

    def reply(self, status, body):
        body = body.encode()
        self.send_response(status)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        path = self.path.removeprefix("/index/")
        at = f"http://127.0.0.1:{self.server.server_address[1]}"
        if path == "config.json":
            return self.reply(200, json.dumps({"dl": f"{at}/packages", "api": at}))
        name = path.rsplit("/", 1)[-1]
        if path == place(name):
            if name in uploaded:
                return self.reply(200, uploaded[name] + "\n")
            if name not in OURS and os.path.isfile(f"{FOLDER}/index/{path}"):
                with open(f"{FOLDER}/index/{path}") as file:
                    return self.reply(200, file.read())
        self.reply(404, "")

    def do_PUT(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        length = struct.unpack("<I", body[:4])[0]
        metadata, package = json.loads(body[4:4 + length]), body[8 + length:]
        name = metadata["name"]
        with lock:
            # Cargo makes sure of both before.
            is_wrong = name in uploaded or any(n["name"] in OURS - set(uploaded) for n in metadata["deps"])
            takes = not is_wrong and is_taken(name)
            if takes:
                uploaded[name] = line(metadata, package)
        if is_wrong:
            return self.reply(400, json.dumps({"errors": [{"detail": f"{name} cannot be uploaded now"}]}))
        print(name if takes else f"429 {name}", flush=True)
        if takes:
            return self.reply(200, json.dumps({"warnings": {"invalid_categories": [], "invalid_badges": [], "other": []}}))
        self.reply(429, json.dumps({"errors": [{"detail": "You have published too many new crates in a short period of time."}]}))


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
server.daemon_threads = True
threading.Thread(target=server.serve_forever, daemon=True).start()
print(server.server_address[1], flush=True)
sys.stdin.read()
