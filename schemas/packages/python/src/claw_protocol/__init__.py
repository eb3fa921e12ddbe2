"""Reads lines of the stream-json protocol: a known kind by its type, everything else as it is."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Literal, cast, overload

from jsonschema import Draft202012Validator, ValidationError
from pydantic import BaseModel
from pydantic import ValidationError as TypeRefused

from . import types

__all__ = ["LineError", "Unknown", "read_line", "types"]

Way = Literal["stdout", "stdin"]


@dataclass(frozen=True)
class Unknown:
    """A line of a kind that a newer CLI may have, or with something in it that the types do not take.

    Also one of an internal kind that has another form than the types have.
    """

    message: dict[str, Any]


class LineError(ValueError):
    """A line that is no JSON object, or of a published kind and not of its form."""

    path: str
    """Where in the line, as a JSON pointer: `/message/content`. Empty for the line as a whole."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(f"{path}: {reason}" if path else reason)
        self.path = path


@overload
def read_line(line: str) -> types.StdoutMessage | Unknown: ...
@overload
def read_line(line: str, way: Literal["stdout"]) -> types.StdoutMessage | Unknown: ...
@overload
def read_line(line: str, way: Literal["stdin"]) -> types.StdinMessage | Unknown: ...
def read_line(line: str, way: Way = "stdout") -> types.StdoutMessage | types.StdinMessage | Unknown:
    """Reads a line that `claude` wrote, or, with `stdin`, one that it reads.

    Raises LineError for a line that is no JSON object, or of a published kind and not of its form.
    """
    message = _parse(line)
    definition = _definition(message, way)
    if definition is None:
        return Unknown(message)
    try:
        root = cast(type[BaseModel], getattr(types, definition)).model_validate(message)
    except TypeRefused:
        # The types are closed; the schema says whether the line is of tomorrow, or wrong.
        error = next(_errors(way, definition, message), None)
        # The internal kinds may change without notice: one of another form is no error.
        if error and definition not in _file("meta.json")["internal"]:
            raise _told(error, way, definition) from None
        return Unknown(message)
    # The model of its kind is a member of the union, and has been validated.
    if way == "stdout":
        return types.StdoutMessage.model_construct(cast(Any, root))
    return types.StdinMessage.model_construct(cast(Any, root))


def _parse(line: str) -> dict[str, Any]:
    try:
        message = json.loads(line, parse_constant=_no_constant)
    except RecursionError:
        raise LineError("", "nested too deeply") from None
    except ValueError:
        # Not the parser's own error: it holds the line, in which secrets may stand.
        raise LineError("", "not JSON") from None
    if not isinstance(message, dict):
        raise LineError("", "not an object")
    return message


def _no_constant(name: str) -> None:
    """Refuses `NaN` and `Infinity`, which Python reads and JSON does not have."""
    raise ValueError(name)


@cache
def _file(name: str) -> dict[str, Any]:
    text = files(__name__).joinpath("schemas", name).read_text(encoding="utf-8")
    return cast(dict[str, Any], json.loads(text))


@cache
def _kinds(way: Way) -> list[tuple[dict[str, Any], str]]:
    """The tags of each kind with its definition, those with more tags first."""
    of_it = [kind for kind in _file("meta.json")["kinds"] if kind.get("direction") == way]
    kinds = [
        ({key: kind[key] for key in kind if key not in ("definition", "direction")}, kind["definition"])
        for kind in of_it
    ]
    return sorted(kinds, key=lambda kind: -len(kind[0]))


def _definition(message: dict[str, Any], way: Way) -> str | None:
    return next((definition for tags, definition in _kinds(way) if _fit(tags, message)), None)


def _fit(tags: dict[str, Any], message: object) -> bool:
    # `1 == True` in Python, not in JSON.
    return isinstance(message, dict) and all(
        key in message and message[key] == value and type(message[key]) is type(value) for key, value in tags.items()
    )


def _schema(way: Way) -> dict[str, Any]:
    return _file(f"{way}.schema.json")


def _errors(way: Way, definition: str, value: object) -> Iterator[ValidationError]:
    schema = {"$ref": f"#/$defs/{definition}", "$defs": _schema(way)["$defs"]}
    return iter(Draft202012Validator(schema).iter_errors(value))


def _told(error: ValidationError, way: Way, definition: str) -> LineError:
    """What is wrong. Where a union refused an object, what its tags say is asked what it has against it."""
    while error.validator == "anyOf":
        meant = _member(cast(Any, error.validator_value), error.instance, way)
        inner = [inner for inner in error.context or () if inner.schema_path[0] == (meant or (None,))[0]]
        if not meant or not inner:
            break
        error, definition = inner[0], meant[1]
    path = "".join(f"/{str(key).replace('~', '~0').replace('/', '~1')}" for key in error.absolute_path)
    return LineError(path, f"{_reason(error)} ({definition})")


def _reason(error: ValidationError) -> str:
    """The reason without the value, in which secrets may stand; the validator's own message quotes it."""
    said: Any = error.validator_value
    match error.validator:
        case "required":
            missing = next(key for key in said if key not in cast(Any, error.instance))
            return f"{missing!r} is missing"
        case "type":
            return f"not {said if isinstance(said, str) else ' or '.join(said)}"
        case other:
            return f"refused by {other!r}"


def _member(members: list[dict[str, Any]], value: object, way: Way) -> tuple[int, str] | None:
    """The member of a union that an object is meant to be: the one with most tags, all of which fit."""
    found: tuple[int, int, str] | None = None
    for at, member in enumerate(members):
        reference = member.get("allOf", [member])[0].get("$ref")
        if reference is None:
            continue
        name = reference.rsplit("/", 1)[-1]
        definition = _schema(way)["$defs"][name]
        tags = {
            key: schema["enum"][0]
            for key, schema in definition.get("properties", {}).items()
            if len(schema.get("enum", ())) == 1 and key in definition["required"]
        }
        if _fit(tags, value) and (found is None or len(tags) > found[0]):
            found = (len(tags), at, name)
    return found and found[1:]
