// Reads lines of the stream-json protocol: a known kind by its type, everything else as it is.

import { readFileSync } from "node:fs";
import { Ajv2020, type ErrorObject, type ValidateFunction } from "ajv/dist/2020.js";
import type { StdinMessage, StdoutMessage } from "./claw.js";

export type * from "./claw.js";

/** What a line is read as, by its direction: `stdout` is what `claude` writes, `stdin` what it reads. */
export interface Lines {
  stdout: StdoutMessage;
  stdin: StdinMessage;
}

/** A line, read. What these definitions do not know is in `message` all the same: kinds, fields, values. */
export type Read<Message> =
  | { known: true; message: Message }
  /** Of a kind that a newer CLI may have, or an internal one of another form than these definitions have. */
  | { known: false; message: { [key: string]: unknown } };

/** A line that is no JSON object, or of a published kind and not of its form. */
export class LineError extends Error {
  /** Where in the line, as a JSON pointer: `/message/content`. Empty for the line as a whole. */
  readonly path: string;

  constructor(path: string, reason: string) {
    super(path === "" ? reason : `${path}: ${reason}`);
    this.name = "LineError";
    this.path = path;
  }
}

/**
 * Reads a line.
 *
 * @throws LineError for a line that is no JSON object, or of a published kind and not of its form.
 */
export function readLine<Way extends keyof Lines = "stdout">(line: string, way?: Way): Read<Lines[Way]>;
export function readLine(line: string, way: keyof Lines = "stdout"): Read<Lines[keyof Lines]> {
  const message = parse(line);
  const definition = definitionOf(message, way);
  if (definition === undefined) return { known: false, message };
  const check = checker(way, definition);
  if (!check(message)) {
    if (internal.includes(definition)) return { known: false, message };
    throw told(check.errors ?? [], way, definition);
  }
  return { known: true, message: message as unknown as Lines[keyof Lines] };
}

function parse(line: string): { [key: string]: unknown } {
  let message: unknown;
  try {
    message = JSON.parse(line);
  } catch {
    // Not the parser's own words: they quote the line, in which secrets may stand.
    throw new LineError("", "not JSON");
  }
  if (!isObject(message)) throw new LineError("", "not an object");
  return message;
}

function isObject(value: unknown): value is { [key: string]: unknown } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

const file = (name: string): unknown =>
  JSON.parse(readFileSync(new URL(`../schemas/${name}`, import.meta.url), "utf8"));

/** A kind of line: its tags, beside its definition and its direction. */
type Kind = { definition: string; direction?: string; [tag: string]: unknown };

// The internal kinds may change without notice: one of another form is no error.
const { kinds, internal } = file("meta.json") as { kinds: Kind[]; internal: string[] };

/** The definition of a line's kind by its tags; of two that fit, the one with more tags. */
function definitionOf(message: { [key: string]: unknown }, way: string): string | undefined {
  let found: { definition: string; tags: number } | undefined;
  for (const { definition, direction, ...rest } of kinds) {
    const tags = Object.entries(rest);
    if (direction !== way || tags.length <= (found?.tags ?? 0)) continue;
    if (tags.every(([key, value]) => Object.hasOwn(message, key) && message[key] === value)) {
      found = { definition, tags: tags.length };
    }
  }
  return found?.definition;
}

/** What is looked at of a schema here. */
interface Schema {
  $ref?: string;
  $defs?: { [name: string]: Schema };
  allOf?: Schema[];
  enum?: unknown[];
  properties?: { [key: string]: Schema };
  required?: string[];
}

// The schemas have keywords of their own, which say nothing about what is valid.
const ajv = new Ajv2020({ strict: false, verbose: true });
const checkers = new Map<string, ValidateFunction>();

/** What checks a line of a kind: compiled when the first one comes. */
function checker(way: keyof Lines, definition: string): ValidateFunction {
  const place = `${way}#/$defs/${definition}`;
  let check = checkers.get(place);
  if (check === undefined) {
    if (ajv.getSchema(way) === undefined) {
      const { $id, ...schema } = file(`${way}.schema.json`) as { $id: string };
      ajv.addSchema(schema, way);
    }
    check = ajv.compile({ $ref: place });
    checkers.set(place, check);
  }
  return check;
}

/** What is wrong. Where a union refused an object, what its tags say is asked what it has against it. */
function told(errors: ErrorObject[], way: keyof Lines, definition: string, path = ""): LineError {
  const last = errors.at(-1); // What the errors before it led to.
  const place = path + (last?.instancePath ?? "");
  const meant = last?.keyword === "anyOf" ? memberOf(last.schema as Schema[], last.data, way) : undefined;
  if (meant !== undefined) {
    const check = checker(way, meant);
    if (!check(last?.data)) return told(check.errors ?? [], way, meant, place);
  }
  return new LineError(place, `${last?.message ?? "invalid"} (${definition})`);
}

/** The member of a union that an object is meant to be: the one with most tags, all of which fit. */
function memberOf(members: Schema[], object: unknown, way: keyof Lines): string | undefined {
  const { $defs = {} } = ajv.getSchema(way)?.schema as Schema;
  let found: { name: string; tags: number } | undefined;
  for (const member of members) {
    const name = (member.allOf?.[0] ?? member).$ref?.split("/").at(-1);
    const definition = name === undefined ? undefined : $defs[name];
    if (name === undefined || definition === undefined || !isObject(object)) continue;
    const tags = Object.entries(definition.properties ?? {}).filter(
      ([key, { enum: values }]) => values?.length === 1 && definition.required?.includes(key),
    );
    if (tags.length <= (found?.tags ?? -1)) continue;
    if (tags.every(([key, { enum: values }]) => object[key] === values?.[0])) found = { name, tags: tags.length };
  }
  return found?.name;
}
