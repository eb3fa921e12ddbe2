"""The testee of the Python package claude-agent-sdk for `claw conform`.

    claw conform -- python3 conformance/testees/python.py
"""

import asyncio
import json
import sys

from claude_agent_sdk import (
    AssistantMessage,
    ClaudeAgentOptions,
    ClaudeSDKClient,
    ConversationResetMessage,
    HookMatcher,
    PermissionResultAllow,
    PermissionResultDeny,
    RateLimitEvent,
    ResultMessage,
    ServerToolUseBlock,
    StreamEvent,
    SystemMessage,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
    UserMessage,
    create_sdk_mcp_server,
    query,
    tool,
)


def say(name, value):
    print(json.dumps({name: value}), flush=True)


def block(it):
    """A block in the form of the CLI's line, as far as the package keeps it."""
    if isinstance(it, TextBlock):
        return {"type": "text", "text": it.text}
    if isinstance(it, ThinkingBlock):
        return {"type": "thinking", "thinking": it.thinking, "signature": it.signature}
    if isinstance(it, ToolUseBlock):
        return {"type": "tool_use", "id": it.id, "name": it.name, "input": it.input}
    if isinstance(it, ToolResultBlock):
        return {"type": "tool_result", "tool_use_id": it.tool_use_id, "content": it.content, "is_error": it.is_error}
    if isinstance(it, ServerToolUseBlock):
        return {"type": "server_tool_use", "id": it.id, "name": it.name, "input": it.input}
    return {"type": type(it).__name__, **vars(it)}


def message(it):
    """A message in the form of the CLI's line, as far as the package keeps it."""
    known = {name: value for name, value in vars(it).items() if value is not None}
    if isinstance(it, SystemMessage):
        return it.data
    if isinstance(it, AssistantMessage):
        inner = {"role": "assistant", "type": "message", "model": it.model, "content": [block(b) for b in it.content]}
        inner.update(id=it.message_id, usage=it.usage, stop_reason=it.stop_reason)
        return {"type": "assistant", "message": inner, "parent_tool_use_id": it.parent_tool_use_id,
                "session_id": it.session_id, "uuid": it.uuid}
    if isinstance(it, UserMessage):
        content = it.content if isinstance(it.content, str) else [block(b) for b in it.content]
        line = {"type": "user", "message": {"role": "user", "content": content}, "uuid": it.uuid,
                "parent_tool_use_id": it.parent_tool_use_id}
        return line | ({"tool_use_result": it.tool_use_result} if it.tool_use_result is not None else {})
    if isinstance(it, ResultMessage):
        return {"type": "result", **known}
    if isinstance(it, StreamEvent):
        return {"type": "stream_event", **known}
    if isinstance(it, ConversationResetMessage):
        return {"type": "conversation_reset", **known}
    if isinstance(it, RateLimitEvent):
        return {"type": "rate_limit_event", **known, "rate_limit_info": it.rate_limit_info.raw}
    return {"type": type(it).__name__, **{k: str(v) for k, v in known.items()}}


def options(case, ended):
    given = ClaudeAgentOptions(cli_path=case["claude"], cwd=case["folder"])
    given.include_partial_messages = case.get("partialMessages", False)
    if answer := case.get("permission"):

        async def decide(name, tool_input, _context):
            say("permission", {"tool": name, "input": tool_input})
            if "raise" in answer:
                raise RuntimeError(answer["raise"])
            if answer.get("afterResult"):
                await ended.wait()
            if answer["behavior"] == "deny":
                return PermissionResultDeny(message=answer["message"])
            return PermissionResultAllow(updated_input=answer.get("updatedInput"))

        given.can_use_tool = decide
    if hook := case.get("hook"):

        async def call(hook_input, _tool_use_id, _context):
            say("hook", {"event": hook["event"], "input": hook_input})
            if "raise" in hook:
                raise RuntimeError(hook["raise"])
            return hook["response"]

        given.hooks = {hook["event"]: [HookMatcher(hooks=[call])]}
    if own := case.get("tool"):

        @tool(own["name"], "Doubles a number", {"a": int})
        async def work(tool_input):
            say("tool", {"name": own["name"], "input": tool_input})
            if "raise" in own:
                raise RuntimeError(own["raise"])
            return {"content": [{"type": "text", "text": own["response"]}]}

        given.mcp_servers = {own["server"]: create_sdk_mcp_server(own["server"], tools=[work])}
    return given


async def talk(case):
    ended = asyncio.Event()  # set by the first result
    if not any(name in case for name in ("permission", "hook", "tool", "interrupt", "leave")) and len(case["prompts"]) == 1:
        async for received in query(prompt=case["prompts"][0], options=options(case, ended)):
            say("message", message(received))
        return
    async with ClaudeSDKClient(options(case, ended)) as client:
        for prompt in case["prompts"]:
            await client.query(prompt)
            is_first = True
            async for received in client.receive_response():
                say("message", message(received))
                if isinstance(received, ResultMessage):
                    ended.set()
                if isinstance(received, AssistantMessage) and is_first:
                    is_first = False
                    if case.get("leave"):
                        return
                    if case.get("interrupt"):
                        await client.interrupt()


async def main():
    case = json.loads(sys.stdin.readline())
    if "timeLimit" in case:
        say("unsupported", "a limit for the time without a message")
        return
    sessions = [talk(case) for _ in range(case.get("sessions", 1))]
    for error in await asyncio.gather(*sessions, return_exceptions=True):
        if error is not None:
            say("error", str(error))
    say("end", True)


asyncio.run(main())
