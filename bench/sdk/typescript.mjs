// One prompt through the TypeScript SDK; prints what it took as a line of JSON.
// Arguments: "pipe" or "start", the executable.
import { query } from "@anthropic-ai/claude-agent-sdk";

const [what, executable] = process.argv.slice(2);
const begun = performance.now();
let first;
let messages = 0;
for await (const message of query({
  prompt: "Go",
  options: { pathToClaudeCodeExecutable: executable, includePartialMessages: true },
})) {
  if (messages++ === 0) first = performance.now();
  if (what === "start" || message.type === "result") break;
}
const seconds = (performance.now() - (what === "start" ? begun : first)) / 1000;
console.log(JSON.stringify({ messages, seconds, peak_kb: process.resourceUsage().maxRSS }));
process.exit(0);
