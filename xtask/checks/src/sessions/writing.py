"""Changes sessions with the official Python package: one line of JSON a change.

python3 writing.py CHANGES
"""

import json
import os
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    work = json.load(file)
os.environ["CLAUDE_CONFIG_DIR"] = work["config"]

import claude_agent_sdk as sdk  # noqa: E402


def fork(change):
    return sdk.fork_session(change["id"], up_to_message_id=change["up_to"], title=change["text"]).session_id


def absent(change):
    raise NotImplementedError("the package has no such function")


MAKE = {
    "rename": lambda c: sdk.rename_session(c["id"], c["text"] or ""),
    "tag": lambda c: sdk.tag_session(c["id"], c["text"]),
    "archive": absent,
    "unarchive": absent,
    "delete": lambda c: sdk.delete_session(c["id"]),
    "fork": fork,
}
for change in work["changes"]:
    try:
        outcome = {"id": MAKE[change["what"]](change)}
    except Exception as error:  # noqa: BLE001
        outcome = {"error": str(error)}
    print(json.dumps(outcome), flush=False)
