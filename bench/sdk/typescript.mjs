// One prompt through the TypeScript SDK; prints what it took as a line of JSON.
// Arguments: "pipe", "start", or "cold" and "warm" (without and with startup()); the executable.
import { query, startup } from "@anthropic-ai/claude-agent-sdk";

const [what, executable] = process.argv.slice(2);
const options = { pathToClaudeCodeExecutable: executable, includePartialMessages: true };
const prompt = "Go";

if (what === "cold" || what === "warm") {
  const warm = what === "warm" ? await startup({ options }) : undefined;
  // What the CLI still does in the background is over then, as for a spare of claw.
  if (warm) await new Promise((resolve) => setTimeout(resolve, 1000));
  const begun = performance.now();
  const took = {};
  for await (const message of warm ? warm.query(prompt) : query({ prompt, options })) {
    if (message.type === "system" && message.subtype === "init") took.first ??= performance.now() - begun;
    if (message.type === "assistant") took.assistant ??= performance.now() - begun;
    if (message.type === "result") break;
  }
  console.log(JSON.stringify(took));
  process.exit(0);
}

const begun = performance.now();
let first;
let messages = 0;
for await (const message of query({ prompt, options })) {
  if (messages++ === 0) first = performance.now();
  if (what === "start" || message.type === "result") break;
}
const seconds = (performance.now() - (what === "start" ? begun : first)) / 1000;
console.log(JSON.stringify({ messages, seconds, peak_kb: process.resourceUsage().maxRSS }));
process.exit(0);
