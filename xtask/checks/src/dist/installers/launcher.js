#!/usr/bin/env node
// Starts the executable out of the package for this platform.
"use strict";

const name = `PACKAGE-${process.platform}-${process.arch}`;
const file = process.platform === "win32" ? "claw.exe" : "claw";
let executable;
try {
  executable = require.resolve(`${name}/bin/${file}`);
} catch {
  console.error(
    `claw: the package ${name} is not installed. npm installs it as an optional dependency where there is one. ` +
      "REPOSITORY has other ways to install claw.",
  );
  process.exit(1);
}
const args = process.argv.slice(2);
if (process.execve && process.platform !== "win32") {
  // The executable replaces this process, in Node.js 22.15 and newer.
  process.execve(executable, [executable, ...args], process.env);
}
const child = require("node:child_process").spawn(executable, args, { stdio: "inherit" });
child.on("error", (error) => {
  console.error(`claw: ${executable} did not start: ${error.message}`);
  process.exit(1);
});
// The terminal sends these to the executable too.
for (const signal of ["SIGINT", "SIGQUIT"]) {
  process.on(signal, () => {});
}
for (const signal of ["SIGTERM", "SIGHUP"]) {
  process.on(signal, () => child.kill(signal));
}
child.on("exit", (code, signal) => {
  if (signal) {
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  } else {
    process.exitCode = code;
  }
});
