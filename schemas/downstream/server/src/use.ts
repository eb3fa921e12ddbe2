// Uses a server whose agent is scripted: `CLAW_ORIGIN=… CLAW_TOKEN=… node dist/use.js SESSION`. SESSION is on disk.
import assert from "node:assert/strict";
import type { paths } from "../../../packages/npm/src/api.js";
import { Client, Refused, type SocketRequest } from "../../../packages/npm/src/server.js";

const { CLAW_ORIGIN: origin, CLAW_TOKEN: token } = process.env;
const onDisk = process.argv[2];
assert(origin && token && onDisk);
const client = new Client(origin, token);

/** The paths with a method that the client does not have. */
type Left = {
  [P in keyof paths]: paths[P] extends { put?: never } ? never : P;
}[keyof paths];
export const left: [Left] extends [never] ? true : Left = true;

// The types refuse what the server would refuse.
export function refused(): void {
  // @ts-expect-error There is no such path.
  void client.get("/api/nothing", {});
  // @ts-expect-error A decision is one of four.
  void client.post("/api/sessions/{id}/requests/{request}", { path: { id: "", request: "" }, body: { decision: "yes" } });
  // @ts-expect-error A message has a type that the server knows.
  const message: SocketRequest = { type: "stop" };
  assert(message);
  // @ts-expect-error A prompt has a text.
  void client.post("/api/sessions/{id}/prompts", { path: { id: "" }, body: {} });
  // @ts-expect-error A search has a text.
  void client.get("/api/search", {});
}

await assert.rejects(new Client(origin, "wrong").get("/api/projects", {}), (error) => {
  return error instanceof Refused && error.status === 401 && error.info?.kind === "unauthorized";
});
const { path: link } = await client.post("/api/logins", {});
// A login belongs to the key that came with it.
const key = { "x-claw-key": "a1".repeat(32) };
const login = await fetch(origin + link, { method: "POST", headers: key });
assert.equal(login.status, 204);
const cookie = login.headers.get("set-cookie") ?? "";
assert.match(cookie, /^claw_session_\d+=/);
const headers = { cookie: cookie.split(";", 1)[0] ?? "" };
assert.equal((await fetch(`${origin}/api/projects`, { headers })).status, 403);
assert.equal((await fetch(`${origin}/api/projects`, { headers: { ...headers, ...key } })).status, 200);

const [project] = await client.get("/api/projects", {});
assert(project);
const session = await client.post("/api/sessions", { body: { project: project.name, title: "Apples" } });
const { id } = session;
const uuid = "b0000000-0000-4000-8000-000000000001";
assert.deepEqual(await client.post("/api/sessions/{id}/prompts", { path: { id }, body: { text: "How many?", uuid } }), {
  uuid,
  session: id,
});

let [asked, ran] = [0, false];
let first: string | undefined;
const limit = AbortSignal.timeout(60_000);
events: for await (const event of client.events(id, limit)) {
  switch (event.event) {
    case "request":
      await answer(event.data.id, event.data.title);
      break;
    case "reset":
      first = event.id;
      for (const request of event.data.requests) await answer(request.id, request.title);
      ran ||= event.data.state.phase !== "idle";
      break;
    case "state":
      ran ||= event.data.phase === "running";
      if (ran && event.data.phase === "idle") break events;
  }
}
assert.equal(asked, 1);

const elements = await client.get("/api/sessions/{id}/elements", { path: { id } });
assert(elements.some((element) => element.content.type === "toolCall"));
const said = elements.flatMap(({ content }) => (content.type === "assistantText" ? [content.text] : []));
assert.deepEqual(said, ["Seven."]);
const list = await client.get("/api/sessions", { query: { project: project.name, limit: 10 } });
assert(list.sessions.some((item) => item.id === id && item.phase === "idle"));
await client.patch("/api/sessions/{id}", { path: { id: onDisk }, body: { tag: "fruit" } });
const fork = await client.post("/api/sessions/{id}/fork", { path: { id: onDisk }, body: { title: "Pears" } });
assert.notEqual(fork.id, onDisk);
assert.equal(fork.state.title, "Pears");
const [hit] = await client.get("/api/search", { query: { q: "apples" } });
assert(hit && hit.excerpt.includes("apples"));
const usage = await client.get("/api/usage", { query: { by: "model" } });
assert.deepEqual(Object.values(usage).map((used) => used.tokens.output), [5]);
assert.equal(client.socket(id).url, `${origin.replace("http", "ws")}/api/sessions/${id}/socket`);
// The events after the first one come again, and the stream ends when the session is closed.
const resumed = client.events(id, limit, first);
const again = [(await resumed.next()).value];
await client.post("/api/sessions/{id}/close", { path: { id } });
for await (const event of resumed) again.push(event);
assert(again.every((event) => event?.event !== "reset") && again.at(-1)?.event === "closed");
console.log(`server: ${list.sessions.length} sessions listed, ${asked} request answered, "${said[0]}" heard`);

/** Allows what is asked for. */
async function answer(request: string, title: string): Promise<void> {
  asked += 1;
  assert.equal(title, "Bash(ls)");
  const answered = await client.post("/api/sessions/{id}/requests/{request}", {
    path: { id, request },
    body: { decision: "allow" },
  });
  assert.equal(answered.decision, "allow");
}
