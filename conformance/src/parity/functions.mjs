// Prints the functions, constants, classes and methods that a package exports, and their options.
//
//     node functions.mjs <folder that npm installed into> <package>
//
// { "<name>": ["<option>", …], … }: a method is `Type.method`, and what another entry of the package exports
// has that entry's name before it. Types that are data alone are left out, but for `Options`.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";

const [prefix, name] = process.argv.slice(2);
const ts = createRequire(path.resolve(prefix, "package.json"))("typescript");
const home = path.resolve(prefix, "node_modules", name);
const entries = new Map();
for (const [entry, { types }] of Object.entries(JSON.parse(readFileSync(path.join(home, "package.json"))).exports))
  if (types) entries.set(path.join(home, types), entry === "." ? "" : `${path.basename(entry, ".js")}.`);
const program = ts.createProgram([...entries.keys()], {
  strict: true,
  noEmit: true,
  types: [],
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
});
const checker = program.getTypeChecker();

/** The members that a type's own declarations have, but for the private ones. */
function members(symbol) {
  const bodies = (symbol.declarations ?? []).map((declaration) => declaration.type ?? declaration);
  return bodies
    .flatMap((body) => body.members ?? [])
    .filter((member) => member.name && !(ts.getCombinedModifierFlags(member) & ts.ModifierFlags.Private));
}

const isMethod = (member) => ts.isMethodSignature(member) || ts.isMethodDeclaration(member);

/** The fields of what a function takes as an object: written in its place, or declared as `…Options`. */
function options(node, within = options) {
  if (!node) return [];
  if (ts.isIntersectionTypeNode(node) || ts.isUnionTypeNode(node)) return node.types.flatMap((type) => options(type, within));
  if (ts.isParenthesizedTypeNode(node)) return options(node.type, within);
  if (ts.isTypeLiteralNode(node)) {
    const fields = node.members.filter((member) => member.name);
    return fields.flatMap((field) => [field.name.getText(), ...within(field.type)]);
  }
  // `Options` itself has its own list.
  if (!ts.isTypeReferenceNode(node) || !/.Options(Base)?$/.test(node.typeName.getText())) return [];
  const type = checker.getSymbolAtLocation(node.typeName);
  const target = type && (type.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(type) : type);
  return (target?.declarations ?? []).flatMap((declaration) => options(declaration.type, within));
}

const ofCall = (call) => [...new Set((call.parameters ?? []).flatMap((parameter) => options(parameter.type)))].sort();

const found = {};
const seen = new Set();
for (const [file, before] of entries) {
  const source = program.getSourceFile(file);
  for (const exported of checker.getExportsOfModule(checker.getSymbolAtLocation(source))) {
    const symbol = exported.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported;
    // The package's root exports most of what its other entries do.
    if (seen.has(symbol)) continue;
    seen.add(symbol);
    const [declaration] = symbol.declarations ?? [];
    if (!declaration?.getSourceFile().fileName.startsWith(home)) continue;
    const title = before + exported.name;
    if (symbol.flags & ts.SymbolFlags.Value) found[title] = ofCall(declaration);
    if (title === "Options") found[title] = options(declaration.type, () => []).sort();
    const all = members(symbol);
    if (all.some(isMethod)) for (const member of all) found[`${title}.${member.name.getText()}`] = ofCall(member);
  }
}
process.stdout.write(JSON.stringify(found));
