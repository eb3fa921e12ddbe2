"""A small MCP server on stdio, for recordings: adds, fails, asks its user, has a resource."""
import json
import sys

TOOLS = [
    {
        "name": "add",
        "description": "Adds two numbers",
        "inputSchema": {
            "type": "object",
            "properties": {"a": {"type": "number"}, "b": {"type": "number"}},
            "required": ["a", "b"],
        },
        "annotations": {"readOnlyHint": True},
    },
    {"name": "fail", "description": "Fails", "inputSchema": {"type": "object", "properties": {}}},
    {"name": "login", "description": "Logs in", "inputSchema": {"type": "object", "properties": {}}},
    {"name": "ask", "description": "Asks the user", "inputSchema": {"type": "object", "properties": {}}},
]
QUESTION = {
    "message": "What is your name?",
    "requestedSchema": {
        "type": "object",
        "properties": {"name": {"type": "string", "description": "A first name"}},
        "required": ["name"],
    },
}

PAGE = {
    "mode": "url",
    "elicitationId": "login-1",
    "url": "https://example.com/login",
    "message": "Please log in.",
}


def read():
    line = sys.stdin.readline()
    return json.loads(line) if line else sys.exit()


def write(**message):
    print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)


def text(text, **more):
    return {"content": [{"type": "text", "text": text}], **more}


def call(name, arguments):
    if name == "add":
        total = arguments["a"] + arguments["b"]
        return text(f"The sum is {total}", structuredContent={"sum": total})
    if name in ("ask", "login"):
        question = QUESTION if name == "ask" else PAGE
        write(id="question", method="elicitation/create", params=question)
        answer = read()
        if name == "login":
            done = {"elicitationId": PAGE["elicitationId"]}
            write(method="notifications/elicitation/complete", params=done)
        return text("The user said " + json.dumps(answer.get("result", answer.get("error"))))
    return text("It failed, as it should", isError=True)


def answer(method, params):
    if method == "initialize":
        return {
            "protocolVersion": params["protocolVersion"],
            "capabilities": {"tools": {}, "resources": {}},
            "serverInfo": {"name": "stdio-calc", "version": "1.0.0"},
        }
    if method == "tools/list":
        return {"tools": TOOLS}
    if method == "tools/call":
        return call(params["name"], params.get("arguments", {}))
    if method == "resources/list":
        return {"resources": [{"uri": "calc://pi", "name": "pi", "mimeType": "text/plain"}]}
    if method == "resources/read":
        return {"contents": [{"uri": params["uri"], "mimeType": "text/plain", "text": "3.14159"}]}
    return {}


while True:
    request = read()
    if "id" in request and "method" in request:
        write(id=request["id"], result=answer(request["method"], request.get("params", {})))
