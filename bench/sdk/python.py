"""One prompt through the Python SDK; prints what it took as a line of JSON.

Arguments: "pipe" or "start", the executable.
"""

import asyncio
import json
import os
import resource
import sys
import time

from claude_agent_sdk import ClaudeAgentOptions, ResultMessage, query

what, executable = sys.argv[1:]


async def main():
    options = ClaudeAgentOptions(cli_path=executable, include_partial_messages=True)
    begun = time.perf_counter()
    first, messages = None, 0
    async for message in query(prompt="Go", options=options):
        if messages == 0:
            first = time.perf_counter()
        messages += 1
        if what == "start" or isinstance(message, ResultMessage):
            break
    seconds = time.perf_counter() - (begun if what == "start" else first)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(json.dumps({"messages": messages, "seconds": seconds, "peak_kb": peak}), flush=True)
    os._exit(0)


asyncio.run(main())
