// Starts the official SDK once for each case, on the recorder in the case's folder. What goes wrong
// is written next to it.
//
// node official.mjs PACKAGE CASES: the folder of the package, and a file with a list of
// { folder, options, objects }, where `objects` names what no JSON can say.

import { spawn } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [, , folder, cases] = process.argv;
const { createSdkMcpServer, query } = await import(pathToFileURL(join(folder, "sdk.mjs")));
const no = async () => ({});

// Where that library leaves word of itself for whoever is in the same process.
const telemetry = Symbol.for("opentelemetry.js.api.1");
const propagation = {
  inject: (_, carrier, setter) =>
    setter.set(carrier, "traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"),
};

const OBJECTS = {
  OpenTelemetry: () => void (globalThis[telemetry] = { version: "1.9.0", propagation }),
  abortController: () => new AbortController(),
  canUseTool: () => async () => ({ behavior: "deny", message: "no" }),
  hooks: () => ({ PreToolUse: [{ matcher: "Bash", hooks: [no], timeout: 30 }] }),
  loadTimeoutMs: () => 5000,
  mcpServers: () => ({ own: createSdkMcpServer({ name: "own", version: "1.0.0" }) }),
  onElicitation: () => async () => ({ action: "decline" }),
  onUserDialog: () => async () => ({ behavior: "cancelled" }),
  sessionStore: () => ({ append: no, load: async () => null }),
  sessionStoreFlush: () => "eager",
  spawnClaudeCodeProcess: () => ({ command, args, cwd, env, signal }) =>
    spawn(command, args, { cwd, env, signal, stdio: ["pipe", "pipe", "ignore"] }),
  stderr: () => () => {},
};

for (const { folder, options, objects } of JSON.parse(readFileSync(cases, "utf8"))) {
  try {
    for (const name of objects) options[name] = OBJECTS[name]();
    for await (const _ of query({ prompt: "Hi", options })) {
      // Only the start is looked at.
    }
  } catch (error) {
    if (!existsSync(join(folder, "record.json"))) {
      writeFileSync(join(folder, "record.json"), JSON.stringify({ refused: error.message }));
    }
  }
  delete globalThis[telemetry];
}
