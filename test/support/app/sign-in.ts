import { createHash, randomBytes } from "node:crypto";
import { exchangeCodeOf, requestById } from "../../../src/store/control/auth-requests";
import { type Call, type Json, type TestApp, visitorAgent } from "./app";

/** What is sent by a browser that belongs to a person who is logged in. */
export const browser = (app: TestApp, cookie = app.cookie): Readonly<Record<string, string>> => ({
  cookie,
  origin: app.deps.config.publicUrl,
  accept: "text/html,application/xhtml+xml",
  "user-agent": visitorAgent,
});

/** The command-line client's own: 64 hex characters, and their SHA-256 in hex. */
export function newVerifier(): { readonly verifier: string; readonly challenge: string } {
  const verifier = randomBytes(32).toString("hex");
  return { verifier, challenge: createHash("sha256").update(verifier).digest("hex") };
}

export interface Asked extends Json {
  readonly auth_request_id: string;
  readonly poll_token: string;
  readonly authorize_url: string;
  readonly expires_at: number;
}

export const callback = "http://127.0.0.1:49152/callback";

let clients = 0;

/** Each time from another address, because starting is limited by it. */
export async function ask(app: TestApp, body: Json = {}): Promise<Asked> {
  clients += 1;
  const from = `10.0.${Math.floor(clients / 250)}.${clients % 250}`;
  const asked = { client_type: "cli", callback_url: callback, ...body };
  const answer = await app.send("POST", "/agent-sessions/start", { body: asked, from });
  if (answer.status !== 201) throw new Error(`${answer.status} ${await answer.text()}`);
  return (await answer.json()) as Asked;
}

/** What the person presses on the page. */
export const press = (
  app: TestApp,
  { auth_request_id: id }: Asked,
  button: "approve" | "deny",
  cookie = app.cookie,
): Promise<Response> =>
  app.send("POST", `/agent-sessions/authorize/${id}/${button}`, {
    headers: {
      ...browser(app, cookie),
      "content-type": "application/x-www-form-urlencoded",
    },
    body: "",
  });

export const seePage = (app: TestApp, { auth_request_id: id }: Asked, cookie = app.cookie) =>
  app.send("GET", `/agent-sessions/authorize/${id}`, { headers: browser(app, cookie) });

/** Returns the address to which the browser is sent with the code, or null. */
export function sentTo(answer: Response): URL | null {
  const location = answer.headers.get("location");
  return location === null ? null : new URL(location);
}

export const poll = (app: TestApp, { auth_request_id, poll_token }: Asked, token = poll_token) =>
  app.send("POST", "/agent-sessions/poll", { body: { auth_request_id, poll_token: token } });

/** The code of an approved request, however it went out. */
export function codeOf({ deps: { control } }: TestApp, { auth_request_id }: Asked): string {
  const request = requestById(control, auth_request_id);
  return String(request === null ? null : exchangeCodeOf(control, request));
}

export const exchange = (app: TestApp, { auth_request_id }: Asked, code: string, more: Json = {}) =>
  app.send("POST", "/agent-sessions/exchange", {
    body: { auth_request_id, exchange_code: code, ...more },
  });

export interface SignedIn {
  readonly id: string;
  readonly access_token: string;
  readonly refresh_token: string;
  readonly access_expires_at: number;
  readonly refresh_expires_at: number;
  readonly scopes: readonly string[];
}

/** All of it, detached. */
export async function signIn(app: TestApp, body: Json = {}): Promise<SignedIn> {
  const asked = await ask(app, { mode: "detached", ...body });
  await press(app, asked, "approve");
  const answer = await exchange(app, asked, codeOf(app, asked));
  const { agent_session } = (await answer.json()) as { agent_session: SignedIn };
  return agent_session;
}

/** A call as an agent makes it. */
export const bearer = ({ access_token: token }: SignedIn, body?: Json): Call => ({
  headers: { authorization: `Bearer ${token}` },
  ...(body === undefined ? {} : { body }),
});

/** A page's text, as far as tags let it be seen. */
export async function textSeen(answer: Response): Promise<string> {
  return (await answer.text()).replace(/<[^>]+>/g, " ").replace(/\s+/g, " ");
}

/** `409 AUTH_REQUEST_ALREADY_EXCHANGED`, or the status alone. */
export async function told(answer: Response): Promise<string> {
  const text = await answer.clone().text();
  if (!text.startsWith('{"error"')) return String(answer.status);
  const { error, field } = JSON.parse(text) as { error: string; field?: string };
  return [answer.status, error, field].filter((part) => part !== undefined).join(" ");
}
