// Stands where `claude` would: writes down how it was started and what it was told until the first
// prompt, next to itself, and answers just enough to be let go again.

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";

const folder = dirname(process.argv[1]);
const say = (line) => process.stdout.write(`${JSON.stringify(line)}\n`);
// A file that was made for this start is as good as what stands in it.
const words = process.argv.slice(2).map((word) => {
  const [, flag, path] = /^(--mcp-config|--settings)=(\/.*)$/.exec(word) ?? [];
  return existsSync(path) ? `${flag}=FILE${readFileSync(path, "utf8")}` : word;
});
const record = { argv: words, env: process.env, cwd: process.cwd() };
const taken = [
  "mcp_servers_applied",
  "settings_applied",
  "managed_settings_applied",
  "disallowed_tools_applied",
  "plugins_applied",
  "hooks_applied",
  "hook_on_failure_supported",
];

for await (const text of createInterface({ input: process.stdin })) {
  const line = JSON.parse(text);
  if (line.type === "control_request") {
    const { request, request_id } = line;
    let response = {};
    if (request.subtype === "initialize") {
      record.initialize = request;
      response = Object.fromEntries(taken.map((name) => [name, true]));
      Object.assign(response, { commands: [], agents: [], output_style: "default" });
      Object.assign(response, { available_output_styles: [], models: [], account: {} });
    }
    say({ type: "control_response", response: { subtype: "success", request_id, response } });
    if (request.subtype === "end_session") break;
  } else if (line.type === "user" && !record.prompt) {
    record.prompt = line;
    writeFileSync(join(folder, "record.json"), JSON.stringify(record));
    const session_id = "11111111-2222-4333-8444-555555555555";
    say({
      type: "result", subtype: "success", is_error: false, result: "Done.", session_id,
      uuid: "66666666-7777-4888-8999-aaaaaaaaaaaa", duration_ms: 1, duration_api_ms: 1, num_turns: 1,
      total_cost_usd: 0, stop_reason: "end_turn", usage: {}, modelUsage: {}, permission_denials: [],
    });
  }
}
process.exit(0);
