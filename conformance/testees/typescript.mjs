// The testee of the TypeScript package @anthropic-ai/claude-agent-sdk for `claw conform`:
//
//     claw conform -- node conformance/testees/typescript.mjs

import { createInterface } from "node:readline";
import { createSdkMcpServer, query, tool } from "@anthropic-ai/claude-agent-sdk";
import { z } from "zod";

const say = (name, value) => process.stdout.write(JSON.stringify({ [name]: value }) + "\n");

const options = (test, ended) => {
  const given = {
    pathToClaudeCodeExecutable: test.claude,
    cwd: test.folder,
    includePartialMessages: test.partialMessages ?? false,
  };
  const { permission, hook, tool: own } = test;
  if (permission) {
    given.canUseTool = async (name, input) => {
      say("permission", { tool: name, input });
      if (permission.raise) throw new Error(permission.raise);
      if (permission.afterResult) await ended;
      if (permission.behavior === "deny") return { behavior: "deny", message: permission.message };
      return { behavior: "allow", updatedInput: permission.updatedInput ?? input };
    };
  }
  if (hook) {
    const call = async (input) => {
      say("hook", { event: hook.event, input });
      if (hook.raise) throw new Error(hook.raise);
      return hook.response;
    };
    given.hooks = { [hook.event]: [{ hooks: [call] }] };
  }
  if (own) {
    const work = async (input) => {
      say("tool", { name: own.name, input });
      if (own.raise) throw new Error(own.raise);
      return { content: [{ type: "text", text: own.response }] };
    };
    const tools = [tool(own.name, "Doubles a number", { a: z.number() }, work)];
    given.mcpServers = { [own.server]: createSdkMcpServer({ name: own.server, tools }) };
  }
  return given;
};

const talk = async (test) => {
  // Each prompt is sent after the result of the one before it.
  let next;
  let result = new Promise((resolve) => (next = resolve));
  const ended = result;
  async function* prompts() {
    for (const content of test.prompts) {
      yield { type: "user", message: { role: "user", content }, parent_tool_use_id: null };
      await result;
      result = new Promise((resolve) => (next = resolve));
    }
  }
  const isPlain = test.prompts.length === 1 && !test.permission && !test.hook && !test.tool && !test.interrupt;
  const session = query({ prompt: isPlain ? test.prompts[0] : prompts(), options: options(test, ended) });
  let isFirst = true;
  for await (const message of session) {
    say("message", message);
    if (message.type === "result") next();
    if (message.type !== "assistant" || !isFirst) continue;
    isFirst = false;
    if (test.leave) break;
    if (test.interrupt) await session.interrupt();
  }
};

const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const { value } = await lines.next();
const test = JSON.parse(value);
if (test.timeLimit) {
  say("unsupported", "a limit for the time without a message");
  process.exit(0);
}
const sessions = Array.from({ length: test.sessions ?? 1 }, () => talk(test));
for (const { reason } of await Promise.allSettled(sessions)) {
  if (reason !== undefined) say("error", String(reason?.message ?? reason));
}
process.stdout.write(JSON.stringify({ end: true }) + "\n", () => process.exit(0));
