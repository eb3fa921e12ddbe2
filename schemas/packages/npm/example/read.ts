// Reads lines from stdin with the package, and prints how many there were of each sort, and where those that
// are not of their form are wrong. With the argument `stdin` they are lines that `claude` reads.

import { createInterface } from "node:readline";
import { LineError, type PermissionModeKnown, readLine } from "claw-protocol";

const found = { known: 0, unknown: 0, wrong: new Array<string>(), asks: 0, tools: 0 };

for await (const text of createInterface({ input: process.stdin })) {
  try {
    if (process.argv[2] === "stdin") {
      count(readLine(text, "stdin"));
      continue;
    }
    const read = readLine(text);
    count(read);
    if (read.known && read.message.type === "assistant") {
      for (const block of read.message.message.content) {
        if (block.type === "tool_use") found.tools += 1;
      }
    }
    if (read.known && read.message.type === "system" && read.message.subtype === "init") {
      if (read.message.permissionMode === ("default" satisfies PermissionModeKnown)) found.asks += 1;
    }
  } catch (error) {
    if (!(error instanceof LineError)) throw error;
    found.wrong.push(error.path);
  }
}

function count(read: { known: boolean }): void {
  if (read.known) found.known += 1;
  else found.unknown += 1;
}
console.log(JSON.stringify(found));
