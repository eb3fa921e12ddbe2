#!/bin/sh
# Makes the package, and a project that has it installed, in `empty`. Needs ../../downstream/typescript, with
# its tools installed and its types generated; `cargo xtask downstream typescript` does it all.
set -eu
tools=$PWD/../../downstream/typescript
server=$PWD/../../downstream/server

mkdir -p schemas ../built
cp ../../meta.json ../../*.schema.json ../../codegen/claw.schema.json schemas/
cp ../../../LICENSE-* .
cp "$tools/src/claw.ts" src/
test -d "$server/node_modules" || (cd "$server" && npm ci --no-audit --no-fund --ignore-scripts)
(cd "$server" && npm run generate)
npm install --omit=dev --no-package-lock --no-audit --no-fund --ignore-scripts
"$tools/node_modules/.bin/tsc" --typeRoots "$tools/node_modules/@types"
rm -f ../built/*.tgz
npm pack --silent --pack-destination ../built

rm -rf empty
cp -r example empty
cd empty
# What the README shows compiles too.
{ echo 'declare const line: string;'; sed -n '/^```ts$/,/^```$/{//!p;}' ../README.md; } > readme.ts
npm install --no-package-lock --no-audit --no-fund --ignore-scripts ../../built/*.tgz
"$tools/node_modules/.bin/tsc" --typeRoots "$tools/node_modules/@types"
