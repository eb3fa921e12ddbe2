// Checks an OpenAPI document by Redocly's rules of the specification, and prints each fault with its place.
import { createConfig, lint } from "@redocly/openapi-core";

const config = await createConfig({
  extends: ["spec"],
  rules: {
    "no-ambiguous-paths": "error",
    "operation-operationId-unique": "error",
    "operation-parameters-unique": "error",
    // The specification leaves the value of an `x-` field to its author. `x-events` has references, which are resolved.
    "spec-strict-refs": "off",
  },
});
const faults = await lint({ ref: process.argv[2], config });
for (const { ruleId, message, location } of faults) {
  console.error(`${location[0]?.pointer ?? ""}: ${message} (${ruleId})`);
}
process.exitCode = faults.length === 0 ? 0 : 1;
