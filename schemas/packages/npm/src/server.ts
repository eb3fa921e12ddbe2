// A client of `claw serve`, typed by its OpenAPI document. `api.ts` is made from it by openapi-typescript.
import type { components, paths } from "./api.js";

export type Schemas = components["schemas"];

type Method = "get" | "post" | "patch" | "delete";
/** The paths that have a method. */
type PathOf<M extends Method> = {
  [P in keyof paths]: paths[P][M] extends { responses: unknown } ? P : never;
}[keyof paths];

type BodyOf<O> = O extends { requestBody: { content: { "application/json": infer B } } } ? { body: B } : object;
type PlaceOf<O> = O extends { parameters: { path: infer P } } ? { path: P } : object;
type QueryOf<O> = O extends { parameters: { query: infer Q } }
  ? { query: Q }
  : O extends { parameters: { query?: infer Q } }
    ? { query?: Q }
    : object;
/** What a request has besides method and path. */
type Request<O> = PlaceOf<O> & QueryOf<O> & BodyOf<O>;

type Content<R> = R extends { content: { "application/json": infer T } } ? T : undefined;
type Success = 200 | 201 | 202 | 204;
/** What comes back if all is well. */
type Result<O> = O extends { responses: infer R } ? Content<R[keyof R & Success]> : never;

/** An event of a session: its data has the type that its name says. */
export type SessionEvent = {
  [E in keyof Schemas["SessionEvents"]]: { id: string; event: E; data: Schemas["SessionEvents"][E] };
}[keyof Schemas["SessionEvents"]];

/** What a client sends on a WebSocket, as JSON. */
export type SocketRequest = Schemas["SocketRequest"];
/** What the server sends on a WebSocket, as JSON. */
export type SocketMessage = Schemas["SocketMessage"];

/** The server has refused a request, or failed. `info` is undefined if a proxy before it did. */
export class Refused extends Error {
  constructor(
    readonly status: number,
    readonly info: Schemas["ErrorInfo"] | undefined,
  ) {
    super(info === undefined ? `${status}` : `${status} ${info.kind}: ${info.message}`);
    this.name = "Refused";
  }
}

/** The number of characters that an event may have. */
const most = 64 * 1024 * 1024;

export class Client {
  constructor(
    private readonly origin: string,
    private readonly token: string,
  ) {}

  get<P extends PathOf<"get">>(path: P, request: Request<paths[P]["get"]>): Promise<Result<paths[P]["get"]>> {
    return this.json("GET", path, request);
  }

  post<P extends PathOf<"post">>(path: P, request: Request<paths[P]["post"]>): Promise<Result<paths[P]["post"]>> {
    return this.json("POST", path, request);
  }

  patch<P extends PathOf<"patch">>(path: P, request: Request<paths[P]["patch"]>): Promise<Result<paths[P]["patch"]>> {
    return this.json("PATCH", path, request);
  }

  delete<P extends PathOf<"delete">>(path: P, request: Request<paths[P]["delete"]>): Promise<Result<paths[P]["delete"]>> {
    return this.json("DELETE", path, request);
  }

  /** The events of a session, from the one after `last` on, until the session is closed. `stop` breaks off. */
  async *events(id: string, stop: AbortSignal, last?: string): AsyncGenerator<SessionEvent> {
    const headers: Record<string, string> = last === undefined ? {} : { "last-event-id": last };
    const path = `/api/sessions/${encodeURIComponent(id)}/events`;
    const response = await this.send("GET", path, { headers, signal: stop });
    let text = "";
    for await (const piece of response.body!.pipeThrough(new TextDecoderStream())) {
      const events = (text + piece).split("\n\n");
      text = events.pop()!;
      if (text.length > most) throw new RangeError("the event is too long");
      for (const event of events) {
        const field = (name: string) => new RegExp(`^${name}: (.*)$`, "m").exec(event)?.[1];
        const data = field("data");
        // What has no data is a comment.
        if (data !== undefined) {
          yield { id: field("id"), event: field("event"), data: JSON.parse(data) } as SessionEvent;
        }
      }
    }
  }

  /** The address and the headers with which a library for WebSockets connects to a session. */
  socket(id: string): { url: string; headers: Record<string, string> } {
    const url = `${this.origin.replace(/^http/, "ws")}/api/sessions/${encodeURIComponent(id)}/socket`;
    return { url, headers: { authorization: `Bearer ${this.token}` } };
  }

  private async json(method: string, path: string, request: object): Promise<never> {
    const given: { path?: object; query?: object; body?: unknown } = request;
    const place = Object.entries(given.path ?? {}).reduce(
      (path, [name, value]) => path.replace(`{${name}}`, encodeURIComponent(String(value))),
      path,
    );
    const pairs = Object.entries(given.query ?? {}).filter(([, value]) => value !== undefined);
    const query = new URLSearchParams(pairs.map(([name, value]) => [name, String(value)]));
    const init: RequestInit =
      given.body === undefined
        ? {}
        : { body: JSON.stringify(given.body), headers: { "content-type": "application/json" } };
    const response = await this.send(method, `${place}?${query}`, init);
    return (response.status === 204 ? undefined : await response.json()) as never;
  }

  private async send(method: string, path: string, init: RequestInit): Promise<Response> {
    const headers = { authorization: `Bearer ${this.token}`, ...(init.headers as Record<string, string>) };
    const response = await fetch(this.origin + path, { ...init, method, headers });
    if (response.ok) return response;
    const body: Partial<Schemas["ErrorBody"]> = await response.json().catch(() => ({}));
    throw new Refused(response.status, body.error);
  }
}
