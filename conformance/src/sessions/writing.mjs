// Changes sessions with the official TypeScript package: one line of JSON a change.
// node writing.mjs PACKAGE_FOLDER CHANGES
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [folder, file] = process.argv.slice(2);
const { config, changes } = JSON.parse(readFileSync(file, "utf8"));
process.env.CLAUDE_CONFIG_DIR = config;
const sdk = await import(pathToFileURL(join(folder, "sdk.mjs")).href);

const make = {
  rename: (c) => sdk.renameSession(c.id, c.text ?? ""),
  tag: (c) => sdk.tagSession(c.id, c.text),
  archive: (c) => sdk.archiveSession(c.id),
  unarchive: (c) => sdk.unarchiveSession(c.id),
  delete: (c) => sdk.deleteSession(c.id),
  fork: (c) => sdk.forkSession(c.id, { title: c.text ?? undefined, upToMessageId: c.up_to ?? undefined }),
};
let out = "";
for (const change of changes) {
  let outcome;
  try {
    const made = await make[change.what](change);
    outcome = { id: made?.sessionId };
  } catch (error) {
    outcome = { error: String(error) };
  }
  out += JSON.stringify(outcome) + "\n";
}
process.stdout.write(out);
