"""A minimal server on the Python SDK: a message is posted to a session, and its answer comes as server-sent events.

Argument: the executable. Prints the address on which it listens.
"""

import json
import socket
import sys

import uvicorn
from claude_agent_sdk import ClaudeAgentOptions, ClaudeSDKClient
from fastapi import FastAPI
from fastapi.responses import StreamingResponse
from pydantic import BaseModel

app = FastAPI()
sessions = {}


class Message(BaseModel):
    prompt: str


@app.get("/health")
async def health():
    return {"status": "ok"}


@app.post("/sessions/{id}/messages")
async def messages(id: str, message: Message):
    client = sessions.get(id)
    if client is None:
        options = ClaudeAgentOptions(cli_path=sys.argv[1], include_partial_messages=True)
        client = sessions[id] = ClaudeSDKClient(options)
        await client.connect()
    await client.query(message.prompt)
    return StreamingResponse(answer(client), media_type="text/event-stream")


async def answer(client):
    async for message in client.receive_response():
        # The SDK's messages are plain classes.
        yield f"event: message\ndata: {json.dumps(message, default=vars)}\n\n"
    yield "event: done\ndata: {}\n\n"


listener = socket.create_server(("127.0.0.1", 0), backlog=1024)
print("%s:%d" % listener.getsockname(), flush=True)
uvicorn.Server(uvicorn.Config(app, log_level="warning")).run(sockets=[listener])
