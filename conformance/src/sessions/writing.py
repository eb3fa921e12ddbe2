"""Changes sessions with the official Python package: one line of JSON a change.

python3 writing.py CHANGES

If the changes have "directories", the directory of each folder of sessions, then each session is imported into a store
and changed there, and the folders get what the store has then.
"""

import asyncio
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
store = sdk.InMemorySessionStore()
projects = os.path.join(work["config"], "projects")
AGENT = "subagents/agent-a"


def make_stored(change):
    id = change["id"]
    [folder] = [one for one in os.listdir(projects) if os.path.exists(os.path.join(projects, one, f"{id}.jsonl"))]
    options = {"directory": work["directories"][folder]}
    if not asyncio.run(store.load({"project_key": folder, "session_id": id})):
        asyncio.run(sdk.import_session_to_store(id, store, **options))

    def fork():
        options.update(up_to_message_id=change["up_to"], title=change["text"])
        return sdk.fork_session_via_store(store, id, **options)

    call = {
        "rename": lambda: sdk.rename_session_via_store(store, id, change["text"] or "", **options),
        "tag": lambda: sdk.tag_session_via_store(store, id, change["text"], **options),
        "archive": absent,
        "unarchive": absent,
        "delete": lambda: sdk.delete_session_via_store(store, id, **options),
        "fork": fork,
    }[change["what"]]
    made = asyncio.run(call()) if call != absent else absent(change)
    made = made.session_id if made else None
    for name in [id, made] if made else [id]:
        keep({"project_key": folder, "session_id": name}, name)
        keep({"project_key": folder, "session_id": name, "subpath": AGENT}, f"{name}/{AGENT}")
    return made


def keep(key, name):
    """Writes what the store has of a transcript to its file."""
    path = os.path.join(projects, key["project_key"], f"{name}.jsonl")
    entries = asyncio.run(store.load(key))
    if entries is not None:
        with open(path, "w", encoding="utf-8") as file:
            file.writelines(json.dumps(entry) + "\n" for entry in entries)
    elif os.path.exists(path):
        os.remove(path)


for change in work["changes"]:
    try:
        outcome = {"id": make_stored(change) if "directories" in work else MAKE[change["what"]](change)}
    except Exception as error:  # noqa: BLE001
        outcome = {"error": str(error)}
    print(json.dumps(outcome), flush=False)
