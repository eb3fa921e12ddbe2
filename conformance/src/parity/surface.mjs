// Prints the types that a package declares as JSON Schema definitions.
//
//     node surface.mjs <folder that npm installed into> <package> <file.d.ts>...
//
// { "<name>": { "file": …, "exported": true, "schema": … }, … }: named types are `$ref`s to one another; a
// callback is `{"type": "function"}`; what comes from another package is `{}`, anything.

import { createRequire } from "node:module";
import path from "node:path";

const [prefix, name, ...entries] = process.argv.slice(2);
const ts = createRequire(path.resolve(prefix, "package.json"))("typescript");
const home = path.resolve(prefix, "node_modules", name);
const files = entries.map((entry) => path.join(home, entry));
const options = {
  strict: true,
  noEmit: true,
  skipLibCheck: false,
  types: [],
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
};

// The bundled declarations qualify some of their own types with namespaces that the bundler lost.
// Each such namespace is the file itself; so it imports itself.
const NO_NAMESPACE = 2503;
function lostNamespaces() {
  const program = ts.createProgram(files, options);
  const lost = new Map();
  for (const file of files) {
    const source = program.getSourceFile(file);
    for (const { code, start, length } of program.getSemanticDiagnostics(source)) {
      if (code !== NO_NAMESPACE) continue;
      if (!lost.has(file)) lost.set(file, new Set());
      lost.get(file).add(source.text.slice(start, start + length));
    }
  }
  return lost;
}

const lost = lostNamespaces();
const host = ts.createCompilerHost(options);
const read = host.readFile;
host.readFile = (file) => {
  const self = `./${path.basename(file, ".d.ts")}.js`;
  const imports = [...(lost.get(file) ?? [])].map((space) => `\nimport * as ${space} from "${self}";`);
  return read(file) + imports.join("");
};
const program = ts.createProgram(files, options, host);
const checker = program.getTypeChecker();

/** Whether a symbol is declared by the package. */
const ours = (symbol) =>
  symbol?.declarations?.some((declaration) => files.includes(declaration.getSourceFile().fileName));

const isFlag = (type, flag) => (type.flags & flag) !== 0;

/** The alias or interface of the package that a reference names, if it names one. */
function named(node) {
  let symbol = checker.getSymbolAtLocation(node.typeName);
  if (symbol && isFlag(symbol, ts.SymbolFlags.Alias)) symbol = checker.getAliasedSymbol(symbol);
  const type = ts.SymbolFlags.TypeAlias | ts.SymbolFlags.Interface;
  return ours(symbol) && isFlag(symbol, type) && !node.typeArguments ? symbol : undefined;
}

/** A type as it is written: so far as that goes, names are kept. */
function fromNode(node) {
  if (ts.isParenthesizedTypeNode(node)) return fromNode(node.type);
  if (ts.isUnionTypeNode(node)) return union(node.types.map(fromNode));
  if (ts.isArrayTypeNode(node)) return { type: "array", items: fromNode(node.elementType) };
  if (ts.isTypeReferenceNode(node)) {
    const symbol = named(node);
    if (symbol) return { $ref: `#/$defs/${symbol.name}` };
    const [key, value] = node.typeArguments ?? [];
    if (node.typeName.getText() === "Record" && value)
      return map(fromNode(value), checker.getTypeFromTypeNode(key));
  }
  return fromType(checker.getTypeFromTypeNode(node));
}

const map = (value, key) =>
  key.isUnion() || key.isLiteral()
    ? { type: "object", properties: Object.fromEntries((key.types ?? [key]).map((k) => [k.value, value])), required: (key.types ?? [key]).map((k) => k.value) }
    : { type: "object", additionalProperties: value };

// Members that are the same are one: lists of one, two, three … of a thing are lists of it.
const union = (members) => {
  const kept = members.filter((member) => member !== undefined);
  const distinct = [...new Map(kept.map((member) => [JSON.stringify(member), member])).values()];
  return distinct.length === 1 ? distinct[0] : { anyOf: distinct };
};

/** The declaration that is being read, and the objects in it that are. */
let current;
const under = [];

/** The name of a type of the package, if it is not the one that is being read. */
function nameOf(type) {
  const symbol = type.aliasSymbol ?? (type.symbol?.flags & ts.SymbolFlags.Interface ? type.symbol : undefined);
  const plain = ours(symbol) && !type.aliasTypeArguments && !type.typeParameters?.length;
  return plain && (under.length > 0 || symbol !== current) ? symbol.name : undefined;
}

/** A type as the checker knows it; nothing for `undefined`. */
function fromType(type) {
  const flags = ts.TypeFlags;
  if (isFlag(type, flags.Any | flags.Unknown)) return {};
  if (isFlag(type, flags.Undefined | flags.Void)) return undefined;
  if (isFlag(type, flags.Null)) return { type: "null" };
  if (isFlag(type, flags.Boolean)) return { type: "boolean" };
  if (isFlag(type, flags.BooleanLiteral)) return { enum: [checker.typeToString(type) === "true"] };
  if (type.isStringLiteral() || type.isNumberLiteral()) return { enum: [type.value] };
  if (isFlag(type, flags.StringLike)) return { type: "string" };
  if (isFlag(type, flags.NumberLike)) return { type: "number" };
  // Both halves of `boolean` stand in a union apart.
  if (type.isUnion() && !nameOf(type)) return union(type.types.map(fromType));
  if (checker.isArrayType(type)) return { type: "array", items: fromType(checker.getTypeArguments(type)[0]) };
  if (checker.isTupleType(type)) return { type: "array", items: union(checker.getTypeArguments(type).map(fromType)) };
  if (type.getCallSignatures().length) return { type: "function" };
  const name = nameOf(type);
  if (name) return { $ref: `#/$defs/${name}` };
  const anonymous = type.symbol === undefined || type.symbol.name.startsWith("__");
  if (under.includes(type) || !(anonymous || ours(type.symbol))) return {};
  under.push(type);
  const schema = object(type);
  under.pop();
  return schema;
}

function object(type) {
  const properties = {};
  const required = [];
  for (const property of checker.getPropertiesOfType(type)) {
    // Named by a symbol such as Symbol.asyncIterator: a method.
    if (property.name.startsWith("__@")) continue;
    properties[property.name] = field(property);
    if (!isFlag(property, ts.SymbolFlags.Optional)) required.push(property.name);
  }
  const index = checker.getIndexInfosOfType(type).find((info) => isFlag(info.keyType, ts.TypeFlags.String));
  const rest = index && { additionalProperties: fromType(index.type) ?? {} };
  return { type: "object", properties, required, ...rest };
}

/** A field's type: as written, unless what is written is not what it comes to. */
function field(property) {
  const [declaration, ...more] = property.declarations ?? [];
  const type = checker.getTypeOfSymbol(property);
  if (declaration?.type && more.length === 0 && ours(property)) {
    const written = checker.getTypeFromTypeNode(declaration.type);
    if (checker.isTypeAssignableTo(written, type)) return fromNode(declaration.type) ?? {};
  }
  return fromType(type) ?? {};
}

const types = {};
for (const file of files) {
  const source = program.getSourceFile(file);
  if (!source) throw new Error(`${file} is not there`);
  const exports = new Set(checker.getExportsOfModule(checker.getSymbolAtLocation(source)));
  source.forEachChild((node) => {
    const declared = ts.isTypeAliasDeclaration(node) || ts.isInterfaceDeclaration(node);
    if (!declared || node.typeParameters) return;
    const symbol = (current = checker.getSymbolAtLocation(node.name));
    const schema = ts.isTypeAliasDeclaration(node)
      ? fromNode(node.type)
      : fromType(checker.getDeclaredTypeOfSymbol(symbol));
    types[symbol.name] = { file: path.basename(file), exported: exports.has(symbol), schema: schema ?? {} };
  });
}
process.stdout.write(JSON.stringify(types));
