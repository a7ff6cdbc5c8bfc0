import { createHash, randomBytes } from "node:crypto";
import type { Network } from "../../../src/services/page-fetch/network";
import type { Json, TestApp } from "./app";
import { sendMcp } from "./mcp";
import { browser } from "./sign-in";

export const oauthBase = "http://localhost:3000";
export const loopback = "http://127.0.0.1:7777/callback";
export const documentId = "https://agent.example.com/oauth/client.json";
export const documentRedirect = "https://agent.example.com/back";

export interface Pkce {
  readonly verifier: string;
  readonly challenge: string;
}

export function newPkce(): Pkce {
  const verifier = randomBytes(32).toString("base64url");
  return { verifier, challenge: createHash("sha256").update(verifier).digest("base64url") };
}

/** Sites of clients: what stands at an address, with how often it was asked for. */
export function documentSite(documents: Readonly<Record<string, () => Response>>) {
  const asked: string[] = [];
  const network: Network = {
    resolve: async (host) => (host === "inside.example.com" ? ["10.0.0.1"] : ["93.184.216.34"]),
    request: async (url) => {
      asked.push(url.href);
      return documents[url.href]?.() ?? new Response("", { status: 404 });
    },
  };
  return { network, asked };
}

export const documentOf = (fields: Json = {}) =>
  Response.json({
    client_id: documentId,
    client_name: "Agent of the example",
    redirect_uris: [documentRedirect, "http://127.0.0.1/callback"],
    token_endpoint_auth_method: "none",
    ...fields,
  });

let addresses = 0;
/** Registering and asking are limited by address, which is looked at in a test of its own. */
const newAddress = (): string => {
  addresses += 1;
  return `10.7.${Math.floor(addresses / 250)}.${addresses % 250}`;
};

export async function register(app: TestApp, body: Json = {}): Promise<Response> {
  const asked = { client_name: "Tester", redirect_uris: [loopback], ...body };
  return app.send("POST", "/oauth/register", { body: asked, from: newAddress() });
}

export async function registered(app: TestApp, body: Json = {}): Promise<string> {
  const answer = await register(app, body);
  if (answer.status !== 201) throw new Error(await answer.text());
  return String(((await answer.json()) as Json).client_id);
}

type Parameters = Readonly<Record<string, string | null>>;

/** What a client opens in a browser. Null leaves a parameter out. */
export function authorizePath(clientId: string, { challenge }: Pkce, more: Parameters = {}) {
  const asked: Parameters = {
    response_type: "code",
    client_id: clientId,
    redirect_uri: loopback,
    code_challenge: challenge,
    code_challenge_method: "S256",
    state: "xyz",
    ...more,
  };
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(asked)) if (value !== null) query.set(name, value);
  return `/oauth/authorize?${query}`;
}

export const authorize = (app: TestApp, path: string) =>
  app.send("GET", path, { from: newAddress(), headers: { accept: "text/html" } });

/** Returns the address to which an answer sends the browser. */
export function locationOf(answer: Response): URL {
  const location = answer.headers.get("location");
  if (location === null) throw new Error(`${answer.status} sends nobody anywhere.`);
  return new URL(location);
}

/** The path of the page that asks the person. */
export async function pageFor(app: TestApp, path: string): Promise<string> {
  const { pathname } = locationOf(await authorize(app, path));
  if (!pathname.startsWith("/agent-sessions/authorize/")) throw new Error(pathname);
  return pathname;
}

/** What the person presses, with the boxes that are ticked. */
export const answerPage = (
  app: TestApp,
  page: string,
  button: "approve" | "deny" = "approve",
  ticked: readonly string[] = [],
) =>
  app.send("POST", `${page}/${button}`, {
    headers: { ...browser(app), "content-type": "application/x-www-form-urlencoded" },
    body: ticked.map((scope) => `scope=${scope}`).join("&"),
  });

/** An approved code, with what has to be sent with it. */
export async function approvedCode(
  app: TestApp,
  clientId: string,
  more: Parameters = {},
  ticked: readonly string[] = [],
) {
  const pkce = newPkce();
  const page = await pageFor(app, authorizePath(clientId, pkce, more));
  const back = locationOf(await answerPage(app, page, "approve", ticked));
  const code = back.searchParams.get("code") ?? "";
  return {
    grant_type: "authorization_code",
    client_id: clientId,
    code,
    code_verifier: pkce.verifier,
    redirect_uri: more.redirect_uri ?? loopback,
  };
}

export const token = (app: TestApp, form: Readonly<Record<string, string>>, headers = {}) =>
  app.send("POST", "/oauth/token", {
    headers: { "content-type": "application/x-www-form-urlencoded", ...headers },
    body: new URLSearchParams(form).toString(),
  });

export interface OauthTokens {
  readonly access_token: string;
  readonly token_type: string;
  readonly expires_in: number;
  readonly refresh_token: string;
  readonly scope: string;
}

export async function signedIn(
  app: TestApp,
  clientId: string,
  more: Parameters = {},
  ticked: readonly string[] = [],
): Promise<OauthTokens> {
  const answer = await token(app, await approvedCode(app, clientId, more, ticked));
  if (answer.status !== 200) throw new Error(await answer.text());
  return (await answer.json()) as OauthTokens;
}

export const refresh = (app: TestApp, clientId: string, refreshToken: string, more = {}) =>
  token(app, {
    grant_type: "refresh_token",
    client_id: clientId,
    refresh_token: refreshToken,
    ...more,
  });

/** What a client gets that asks for no scope. */
export const readingScopes = "account:read projects:read analytics:read live:read experiments:read";

export const bearerOf = (access: string) => ({ authorization: `Bearer ${access}` });

/** Status of a message to /mcp with this token. */
export async function statusAtMcp(app: TestApp, access: string): Promise<number> {
  const ping = { jsonrpc: "2.0", id: 1, method: "ping" };
  return (await sendMcp(app, ping, bearerOf(access))).status;
}

/** `400 invalid_grant`, or the status alone. */
export async function toldBy(answer: Response): Promise<string> {
  const text = await answer.clone().text();
  if (!text.startsWith('{"error"')) return String(answer.status);
  const { error } = JSON.parse(text) as { error: string };
  return `${answer.status} ${error}`;
}
