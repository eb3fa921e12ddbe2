"""One call about sessions on disk through the Python SDK; prints what it took as a line of JSON.

Arguments: "list", "newest", "history" or "fork"; the configuration folder; the session's id.
"""

import dataclasses
import glob
import json
import os
import re
import sys
import time

what, config, session = sys.argv[1:]
os.environ["CLAUDE_CONFIG_DIR"] = config

import claude_agent_sdk as sdk  # noqa: E402

CALLS = {
    "list": lambda: sdk.list_sessions(),
    "newest": lambda: sdk.list_sessions(limit=20),
    "history": lambda: sdk.get_session_messages(session),
    "fork": lambda: [sdk.fork_session(session).session_id],
}
begun = time.perf_counter()
items = CALLS[what]()
seconds = time.perf_counter() - begun
with open("/proc/self/status", encoding="utf-8") as status:
    peak = int(re.search(r"VmHWM:\s+(\d+)", status.read()).group(1))
returned = 0
if what == "fork":
    for path in glob.glob(os.path.join(config, "projects", "*", f"{items[0]}.jsonl")):
        os.remove(path)
else:
    for item in items:
        returned += len(json.dumps(dataclasses.asdict(item), ensure_ascii=False).encode())
print(json.dumps({"items": len(items), "seconds": seconds, "peak_kb": peak, "returned": returned}))
