// Reads what `claude` writes (or, with the argument `stdin`, what it is written) from stdin, a line
// each, and prints what there was in it. Never fails on a line that it does not know.

import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import type { PermissionMode, PermissionModeKnown, StdinMessage, StdoutMessage } from "./claw.js";

/** A kind of line, as meta.json lists it: its tags, beside what else is said of it. */
type Kind = Record<string, unknown>;

const meta: { kinds: Kind[] } = JSON.parse(
  readFileSync(new URL("../../../meta.json", import.meta.url), "utf8"),
);

/** Whether the tags of a line are those of a kind that the types know. */
function isKnown(line: unknown, way: string): boolean {
  const object = new Map(typeof line === "object" && line !== null ? Object.entries(line) : []);
  return meta.kinds.some(({ definition, direction, ...tags }) => {
    return direction === way && Object.entries(tags).every(([key, value]) => object.get(key) === value);
  });
}
const fromClaude = (line: unknown): line is StdoutMessage => isKnown(line, "stdout");
const toClaude = (line: unknown): line is StdinMessage => isKnown(line, "stdin");

const found = {
  known: 0,
  unknown: 0,
  tools: new Map<string, number>(),
  modes: new Map<string, number>(),
  asked: new Map<string, number>(),
  answers: new Map<string, number>(),
  output_tokens: 0,
  text_deltas: 0,
  prompts: 0,
};
const count = (counts: Map<string, number>, key: string) => counts.set(key, (counts.get(key) ?? 0) + 1);

/** What a mode does: in the words of a known one, or by a name of tomorrow. */
function does(mode: PermissionMode): string {
  switch (mode) {
    case "default":
      return "asks";
    case "plan" satisfies PermissionModeKnown: // So a misspelled value is an error.
      return "plans";
    case "bypassPermissions":
      return "does all";
    default:
      return mode;
  }
}

/** A line that `claude` wrote: `type` and `subtype` say what else it has. */
function wrote(line: StdoutMessage): void {
  if (line.type === "assistant") {
    for (const block of line.message.content) {
      if (block.type === "tool_use") count(found.tools, block.name);
    }
  } else if (line.type === "stream_event") {
    const event = line.event;
    if (event.type === "content_block_delta" && event.delta.type === "text_delta" && event.delta.text !== "") {
      found.text_deltas += 1;
    }
  } else if (line.type === "result" && line.subtype === "success") {
    found.output_tokens += line.usage.output_tokens;
  } else if (line.type === "system" && line.subtype === "init") {
    count(found.modes, does(line.permissionMode));
  } else if (line.type === "control_request" && line.request.subtype === "can_use_tool") {
    count(found.asked, line.request.tool_name);
  }
}

/** A line that `claude` read. */
function read(line: StdinMessage): void {
  if (line.type === "user") found.prompts += 1;
  if (line.type === "control_response") count(found.answers, line.response.subtype);
}

for await (const text of createInterface({ input: process.stdin })) {
  const line: unknown = JSON.parse(text);
  if (process.argv[2] === "stdin" ? toClaude(line) : fromClaude(line)) found.known += 1;
  else found.unknown += 1; // Of a newer CLI: `text` has it all.
  if (process.argv[2] === "stdin" && toClaude(line)) read(line);
  else if (fromClaude(line)) wrote(line);
}
console.log(JSON.stringify(found, (_, value: unknown) => (value instanceof Map ? Object.fromEntries(value) : value)));
