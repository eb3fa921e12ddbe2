"""Answers questions about sessions with the official Python package: one line of JSON a question.

python3 official.py QUESTIONS

If the questions have a list "stored" of sessions, those are imported into a store, and the answers are about the store.
"""

import asyncio
import dataclasses
import json
import os
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    questions = json.load(file)
os.environ["CLAUDE_CONFIG_DIR"] = questions["config"]

import claude_agent_sdk as sdk  # noqa: E402

CAMEL = {
    "session_id": "sessionId",
    "last_modified": "lastModified",
    "file_size": "fileSize",
    "custom_title": "customTitle",
    "first_prompt": "firstPrompt",
    "git_branch": "gitBranch",
    "created_at": "createdAt",
}
OPTIONS = {"dir": "directory", "limit": "limit", "offset": "offset", "includeWorktrees": "include_worktrees"}


def options(question):
    return {OPTIONS[key]: value for key, value in question["options"].items() if key in OPTIONS}


def session(info):
    if info is None:
        return None
    fields = dataclasses.asdict(info).items()
    return {CAMEL.get(key, key): value for key, value in fields if value is not None}


def message(entry):
    return dataclasses.asdict(entry)


ASK = {
    "list": lambda q, o: [session(info) for info in sdk.list_sessions(**o)],
    "info": lambda q, o: session(sdk.get_session_info(q["id"], **o)),
    "messages": lambda q, o: [message(entry) for entry in sdk.get_session_messages(q["id"], **o)],
    "subagents": lambda q, o: sorted(sdk.list_subagents(q["id"], **o)),
    "subagent": lambda q, o: [message(entry) for entry in sdk.get_subagent_messages(q["id"], q["agent"], **o)],
}
store = sdk.InMemorySessionStore()


def by_id(sessions):
    """Without the time of storing, which differs, and so without an order."""
    return sorted(({**one, "lastModified": None} for one in sessions), key=lambda one: one["sessionId"])


def stored(call, *arguments, **options):
    return asyncio.run(call(store, *arguments, **options))


STORED = {
    "list": lambda q, o: by_id(session(info) for info in stored(sdk.list_sessions_from_store, **o)),
    "info": lambda q, o: (by_id(filter(None, [session(stored(sdk.get_session_info_from_store, q["id"], **o))])) or [None])[0],
    "messages": lambda q, o: [message(one) for one in stored(sdk.get_session_messages_from_store, q["id"], **o)],
    "subagents": lambda q, o: sorted(stored(sdk.list_subagents_from_store, q["id"], **o)),
    "subagent": lambda q, o: [
        message(one) for one in stored(sdk.get_subagent_messages_from_store, q["id"], q["agent"], **o)
    ],
}
for imported in questions.get("stored", []):
    try:
        asyncio.run(sdk.import_session_to_store(imported["id"], store, directory=imported["dir"]))
    except Exception:  # noqa: BLE001
        # The questions about it show what is missing.
        pass
ASK = STORED if "stored" in questions else ASK
for question in questions["questions"]:
    environment = question.get("environment") or {}
    os.environ.update(environment)
    try:
        answer = ASK[question["ask"]](question, options(question))
    except Exception as error:  # noqa: BLE001
        answer = {"error": str(error)}
    for name in environment:
        del os.environ[name]
    print(json.dumps(answer), flush=False)
