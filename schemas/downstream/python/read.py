"""Reads what `claude` writes (or, with the argument `stdin`, what it is written) from stdin, a line
each, and prints what there was in it. Never fails on a line that it does not know."""

import json
import sys
from collections import Counter

import claw

tools, modes, asked, answers = Counter[str](), Counter[str](), Counter[str](), Counter[str]()
known = unknown = output_tokens = text_deltas = prompts = 0


def does(mode: claw.PermissionMode) -> str:
    """What a mode does: in the words of a known one, or by a name of tomorrow."""
    match mode.root:
        case claw.PermissionModeKnown.DEFAULT:
            return "asks"
        case claw.PermissionModeKnown.PLAN:
            return "plans"
        case claw.PermissionModeKnown.BYPASS_PERMISSIONS:
            return "does all"
        case other:
            return other


def wrote(line: claw.StdoutMessage) -> None:
    """A line that `claude` wrote: its class says what it is."""
    global output_tokens, text_deltas
    match line.root:
        case claw.AssistantMessage(message=message):
            for block in message.content:
                if isinstance(block.root, claw.ToolUseBlock):
                    tools[block.root.name] += 1
        case claw.StreamEventMessage(event=event):
            match event.root:
                case claw.ContentBlockDeltaEvent(delta=delta):
                    if isinstance(delta.root, claw.TextDelta) and delta.root.text:
                        text_deltas += 1
        case claw.ResultSuccess(usage=usage):
            output_tokens += usage.output_tokens
        case claw.SystemInit(permissionMode=mode):
            modes[does(mode)] += 1
        case claw.ControlRequest(request=request):
            if isinstance(request.root, claw.CanUseTool):
                asked[request.root.tool_name] += 1


def read(line: claw.StdinMessage) -> None:
    """A line that `claude` read."""
    global prompts
    match line.root:
        case claw.UserPrompt():
            prompts += 1
        case claw.ControlResponse(response=response):
            answers[response.root.subtype] += 1


for text in sys.stdin:
    try:
        # By `json`, which takes half of a surrogate pair, and once: `model_validate_json` parses the
        # text anew for each member of the union.
        message = json.loads(text)
        if sys.argv[1:] == ["stdin"]:
            read(claw.StdinMessage.model_validate(message))
        else:
            wrote(claw.StdoutMessage.model_validate(message))
    except (ValueError, RecursionError):
        unknown += 1  # No JSON, or (a `ValidationError`) of a newer CLI: `text` has it all.
    else:
        known += 1

print(
    json.dumps(
        {
            "known": known,
            "unknown": unknown,
            "tools": tools,
            "modes": modes,
            "asked": asked,
            "answers": answers,
            "output_tokens": output_tokens,
            "text_deltas": text_deltas,
            "prompts": prompts,
        }
    )
)
