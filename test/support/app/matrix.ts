import { eq } from "drizzle-orm";
import { type Scope, scopes } from "../../../src/domain/scope";
import { type AccessRule, type OperationName, splitName } from "../../../src/http/operation/facts";
import { codesOf } from "../../../src/http/operation/openapi";
import { clock } from "../../../src/lib/clock";
import { account } from "../../../src/store/control/tables";
import type { Call, Json, TestApp, TestProject } from "./app";
import { shortenDemo } from "./demo";
import { endpointIndex, htmlOperations } from "./operations";
import { ownerOf } from "./owner";
import { shareRefusal, sharesOf } from "./share-credentials";
import { ask } from "./sign-in";

/** Somebody who calls, as the columns of the matrix have it. */
export interface Credential {
  readonly name: string;
  readonly kind: "none" | "wrong" | "cookie" | "key" | "agent" | "demo" | "share";
  readonly headers: Readonly<Record<string, string>>;
  readonly tier: "free" | "pro";
  readonly isAdmin: boolean;
  /** The scopes of agents. */
  readonly scopes: readonly Scope[];
  /** The pages of shares about single visitors, and the filters that narrow a share. */
  readonly pages?: readonly string[];
  readonly lacks?: "password" | "filtering";
}

export interface Row extends AccessRule {
  readonly name: OperationName;
  readonly method: string;
  readonly path: string;
}

/** The index, row by row; `isMounted` says whether this server has it. */
export const rowsOf = (app: TestApp): readonly (Row & { readonly isMounted: boolean })[] => {
  const mounted = new Set<string>(app.operations.map(({ name }) => name));
  return (Object.keys(endpointIndex) as OperationName[]).map((name) => ({
    ...endpointIndex[name],
    ...splitName(name),
    name,
    isMounted: mounted.has(name),
  }));
};

const own = "http://localhost:3000";
const nobody = { headers: {}, tier: "pro", isAdmin: false, scopes: [] } as const;

/** All columns. The accounts behind them have nothing. */
export async function credentialsOf(app: TestApp): Promise<readonly Credential[]> {
  const { control } = app.deps;
  const ownerId = String((await app.get("/account")).id);
  const agent = (
    accountId: string,
    granted: readonly Scope[],
    tier: "free" | "pro",
  ): Credential => {
    const made = { ...ownerOf(control, accountId), scopes: granted, clientType: "cli" };
    const { accessToken } = control.agents.addSession(made, clock.nowMs());
    const name = `${tier} agent with ${granted.length === 1 ? granted[0] : granted.length}`;
    const headers = { authorization: `Bearer ${accessToken}` };
    return { ...nobody, name, kind: "agent", headers, tier, scopes: granted };
  };
  const wrong = (name: string, headers: Credential["headers"]): Credential => ({
    ...nobody,
    name,
    kind: "wrong",
    headers,
  });
  const free = await signUp(app, "free@example.com");
  return [
    { ...nobody, name: "nobody", kind: "none" },
    wrong("wrong key", { "x-api-key": "aak_unknown" }),
    wrong("empty key", { "x-api-key": "" }),
    wrong("wrong bearer", { authorization: "Bearer aas_unknown" }),
    wrong("key as bearer", { authorization: `Bearer ${app.key}` }),
    wrong("wrong bearer before a key", {
      authorization: "Bearer aas_unknown",
      "x-api-key": app.key,
    }),
    wrong("wrong cookie", { cookie: "sl_session=unknown", origin: own }),
    {
      ...nobody,
      name: "administrator's cookie",
      kind: "cookie",
      headers: { cookie: app.cookie, origin: own },
      isAdmin: true,
    },
    { ...nobody, name: "key", kind: "key", headers: { "x-api-key": app.key }, isAdmin: true },
    { ...nobody, name: "free cookie", kind: "cookie", headers: free.cookie, tier: "free" },
    { ...nobody, name: "free key", kind: "key", headers: free.key, tier: "free" },
    ...scopes.map((scope) => agent(ownerId, [scope], "pro")),
    agent(ownerId, scopes, "pro"),
    agent(free.id, scopes, "free"),
    ...(await demoOf(app)),
    ...(await sharesOf(app)),
  ];
}

export async function signUp(app: TestApp, email: string) {
  const body = { email, password: "correct horse battery" };
  const made = await app.send("POST", "/auth/signup", { body, from: "198.51.100.1" });
  const cookie = {
    cookie: (made.headers.get("set-cookie") ?? "").split(";")[0] ?? "",
    origin: own,
  };
  const answer = await app.send("POST", "/account/api-key", { headers: cookie });
  const { api_key: key } = (await answer.json()) as Json;
  const { account: owner } = (await made.json()) as { account: { id: string } };
  return { id: owner.id, cookie, key: { "x-api-key": String(key) } };
}

/** A visitor of the demo, and one who would have all scopes, which open no more than what the index marks. */
async function demoOf(app: TestApp): Promise<readonly Credential[]> {
  const { control } = app.deps;
  shortenDemo(app);
  const made = await app.send("POST", "/demo/session");
  const { agent_session } = (await made.json()) as {
    agent_session: { access_token: string; scopes: readonly Scope[] };
  };
  const owner = control.db.select().from(account).where(eq(account.isDemo, true)).get();
  const all = control.agents.addDemoSession(owner?.id ?? "", scopes, clock.nowMs());
  const visitor = (token: string, granted: readonly Scope[]): Credential => {
    const headers = { authorization: `Bearer ${token}` };
    const name = `demo with ${granted.length}`;
    return { ...nobody, name, kind: "demo", headers, scopes: granted };
  };
  return [
    visitor(agent_session.access_token, agent_session.scopes),
    visitor(all.accessToken, scopes),
  ];
}

/** What one account has, to be named by another: the values for `{id}` by the beginning of the path. */
export async function possessionsOf(app: TestApp): Promise<Readonly<Record<string, string>>> {
  const project = await app.makeProject("matrix");
  const made = async (path: string, body: Json): Promise<string> => {
    const answer = await app.send("POST", path, { key: app.key, body });
    return answer.status === 201 ? String(((await answer.json()) as Json).id) : "none";
  };
  return {
    "/projects": project.id,
    "/portfolios": await made("/portfolios", {
      ...{ slug: "matrix", name: "Matrix", projects: [project.id] },
    }),
    "/experiments": await made("/experiments", {
      project: project.id,
      name: "matrix",
      goal_event: "pay",
      variants: ["control", "red"],
    }),
    "/replays": await replayOf(app, project),
    "/goals": await made("/goals", { project: project.id, name: "Matrix", event: "buy" }),
    "/views": await made("/views", { project: project.id, name: "Matrix", address: "/app" }),
    "/shares": await made("/shares", { project: project.id, name: "Matrix" }),
    "/project-context/annotations": await annotationOf(app, project.id),
    "/agent-sessions/authorize": (await ask(app)).auth_request_id,
    "/admin/accounts": String((await app.get("/account")).id),
  };
}

async function replayOf(app: TestApp, { token, name }: TestProject): Promise<string> {
  await app.post("/replays/enable", { project: name });
  const started = await app.post("/replays/ingest/start", { token, session_id: "matrix" });
  return String(started.replay_id);
}

async function annotationOf(app: TestApp, project: string): Promise<string> {
  const body = { project, occurred_at: "2026-01-10T09:00:00Z", title: "Matrix" };
  const { annotation } = await app.post("/project-context/annotations", body);
  return String((annotation as Json).id);
}

const isPage = ({ name, method }: Row): boolean => method === "GET" && htmlOperations.has(name);

/** The refusal that the table of endpoints demands, or null where it lets somebody in. */
export function refusalOf(row: Row, who: Credential): string | null {
  const refusal = refusalInWords(row, who);
  // A page tells a person what is wrong in words, so only its status is compared.
  return isPage(row) ? (refusal?.slice(0, 3) ?? null) : refusal;
}

function refusalInWords(row: Row, who: Credential): string | null {
  const { access } = row;
  if (access === "none" || access === "token") return null;
  if (access === "program") return programRefusal(who);
  const needsNobody = access === "optional" || isPage(row);
  if (who.kind === "none") return needsNobody ? null : "401 AUTH_REQUIRED";
  // A page asks who comes with a cookie that has ended to log in.
  if (who.kind === "wrong")
    return isPage(row) && "cookie" in who.headers ? null : "401 INVALID_TOKEN";
  if (who.kind === "share") return shareRefusal(row, who, isPage(row));
  // What is open to the demo is so whatever scopes its session names.
  if (who.kind === "demo") return row.demo ? null : "403 DEMO_READ_ONLY";
  return rightsRefusal(access, who) ?? planRefusal(row, who);
}

/** Returns the refusal of a credential in a header, whatever else comes with it. */
function programRefusal({ kind, headers }: Credential): string | null {
  const isSent = "authorization" in headers || "x-api-key" in headers;
  if (!isSent) return "401 AUTH_REQUIRED";
  return kind === "wrong" || kind === "share" ? "401 INVALID_TOKEN" : null;
}

function rightsRefusal(access: AccessRule["access"], who: Credential): string | null {
  const isMachine = who.kind === "agent" || who.kind === "demo";
  const isPerson = who.kind === "cookie";
  switch (access) {
    case "own":
      return null;
    case "key":
      return isMachine ? "403 FORBIDDEN" : null;
    case "cookie":
      return isPerson ? null : "403 FORBIDDEN";
    case "admin":
      return isPerson && who.isAdmin ? null : "403 FORBIDDEN";
    case "none":
    case "token":
      return null;
    default: {
      const scope = access === "optional" ? "account:read" : access;
      const includes: readonly string[] = [scope, scope.replace(":read", ":write")];
      const holds = !isMachine || who.scopes.some((one) => includes.includes(one));
      return holds ? null : `403 FORBIDDEN ${scope}`;
    }
  }
}

const planRefusal = ({ plan }: Row, { tier }: Credential): string | null =>
  plan === "pro" && tier === "free" ? "403 PRO_REQUIRED plan" : null;

/** Tells whether an operation says that it needs a project. The project of feedback is a text like any other. */
export function takesProject(app: TestApp, { name, access }: Row): boolean {
  if (access === "feedback:write") return false;
  const operation = app.operations.find((one) => one.name === name);
  return operation !== undefined && codesOf(operation).includes("PROJECT_REQUIRED");
}

let calls = 0;

/** A call that is refused behind the gates at the latest: its body is no JSON, its query names nothing. */
export async function answerTo(app: TestApp, row: Row, path: string, call: Call): Promise<string> {
  calls += 1;
  // Limits by address are not what is looked at here.
  const from = `10.1.${Math.floor(calls / 250) % 250}.${calls % 250}`;
  const answer = await app.send(row.method, path, { from, ...call });
  const text = await answer.text();
  const isError = text.startsWith('{"error"');
  const {
    error,
    reason,
    required,
    required_scope: scope,
  } = (isError ? JSON.parse(text) : {}) as Json;
  return [answer.status, error, reason, scope, required]
    .filter((part) => part !== undefined)
    .join(" ");
}
