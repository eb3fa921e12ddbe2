"""Prints the functions, constants, classes and methods that the official Python package exports, and their options.

python3 functions.py

{ "<name>": ["<option>", …], … }: a method is `Class.method`, an option is a parameter that has a default. Classes that
are data alone are left out, but for `ClaudeAgentOptions`, whose fields are options.
"""

import dataclasses
import importlib
import inspect
import json
import typing

found = {}


def options(function):
    parameters = inspect.signature(function).parameters.values()
    return sorted(p.name for p in parameters if p.default is not p.empty)


def add(title, value):
    if inspect.isroutine(value):
        found[title] = options(value)
    elif not inspect.isclass(value):
        # Names of types are left out.
        if typing.get_origin(value) is None:
            found[title] = []
    elif value.__name__ == "ClaudeAgentOptions":
        found[title] = sorted(field.name for field in dataclasses.fields(value))
    elif issubclass(value, Exception):
        found[title] = []
    elif not dataclasses.is_dataclass(value) and not typing.is_typeddict(value) and not hasattr(value, "model_fields"):
        methods = {name: member for name, member in vars(value).items() if name[0] != "_"}
        found[title] = options(value.__init__) if "__init__" in vars(value) else []
        for name, member in methods.items():
            found[f"{title}.{name}"] = options(member) if inspect.isroutine(member) else []


for module, before in [("claude_agent_sdk", ""), ("claude_agent_sdk.testing", "testing.")]:
    package = importlib.import_module(module)
    for name in package.__all__:
        add(before + name, getattr(package, name))
print(json.dumps(found))
