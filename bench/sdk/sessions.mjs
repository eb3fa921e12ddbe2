// One call about sessions on disk through the TypeScript SDK; prints what it took as a line of JSON.
// Arguments: "list", "newest", "history" or "fork"; the configuration folder; the session's id.
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";

const [what, config, id] = process.argv.slice(2);
process.env.CLAUDE_CONFIG_DIR = config;
const sdk = await import("@anthropic-ai/claude-agent-sdk");

const calls = {
  list: () => sdk.listSessions({}),
  newest: () => sdk.listSessions({ limit: 20 }),
  history: () => sdk.getSessionMessages(id),
  fork: async () => [(await sdk.forkSession(id)).sessionId],
};
const begun = performance.now();
const items = await calls[what]();
const seconds = (performance.now() - begun) / 1000;
const peak_kb = Number(/VmHWM:\s+(\d+)/.exec(readFileSync("/proc/self/status", "utf8"))[1]);
let returned = 0;
if (what === "fork") {
  const projects = join(config, "projects");
  for (const project of readdirSync(projects)) rmSync(join(projects, project, `${items[0]}.jsonl`), { force: true });
} else {
  for (const item of items) returned += Buffer.byteLength(JSON.stringify(item));
}
console.log(JSON.stringify({ items: items.length, seconds, peak_kb, returned }));
