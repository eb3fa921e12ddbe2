// Answers questions about sessions with the official TypeScript package: one line of JSON a question.
// node official.mjs PACKAGE_FOLDER QUESTIONS
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [folder, file] = process.argv.slice(2);
const questions = JSON.parse(readFileSync(file, "utf8"));
process.env.CLAUDE_CONFIG_DIR = questions.config;
const sdk = await import(pathToFileURL(join(folder, "sdk.mjs")).href);

const ask = {
  list: (q) => sdk.listSessions(q.options),
  info: (q) => sdk.getSessionInfo(q.id, q.options),
  messages: (q) => sdk.getSessionMessages(q.id, q.options),
  subagents: async (q) => (await sdk.listSubagents(q.id, q.options)).sort(),
  subagent: (q) => sdk.getSubagentMessages(q.id, q.agent, q.options),
};
for (const question of questions.questions) {
  for (const [name, value] of Object.entries(question.environment ?? {})) process.env[name] = value;
  let answer;
  try {
    answer = (await ask[question.ask](question)) ?? null;
  } catch (error) {
    answer = { error: String(error.message) };
  }
  for (const name of Object.keys(question.environment ?? {})) delete process.env[name];
  // A pipe whose reader is slow refuses more for a while.
  if (!process.stdout.write(JSON.stringify(answer) + "\n")) await once(process.stdout, "drain");
}
