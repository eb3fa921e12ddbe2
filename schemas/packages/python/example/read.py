"""Reads lines from stdin with the package, and prints how many there were of each sort, and where those that
are not of their form are wrong. With the argument `stdin` they are lines that `claude` reads."""

import json
import sys

from claw_protocol import LineError, Unknown, read_line, types

known = unknown = asks = tools = 0
wrong: list[str] = []
changed: list[str] = []

for text in sys.stdin:
    try:
        line = read_line(text, "stdin") if sys.argv[1:] == ["stdin"] else read_line(text)
    except LineError as error:
        wrong.append(error.path)
        continue
    if isinstance(line, Unknown):
        unknown += 1
        continue
    known += 1
    # Fields that the types do not know are kept too.
    if line.model_dump(by_alias=True, exclude_unset=True) != json.loads(text):
        changed.append(text)
    match line.root:
        case types.AssistantMessage(message=message):
            tools += sum(isinstance(block.root, types.ToolUseBlock) for block in message.content)
        case types.SystemInit(permissionMode=mode) if mode.root == types.PermissionModeKnown.DEFAULT:
            asks += 1

print(
    json.dumps(
        {
            "known": known,
            "unknown": unknown,
            "wrong": wrong,
            "changed": changed,
            "asks": asks,
            "tools": tools,
        }
    )
)
