/*
 * Four endpoints beyond the contract.
 * Decision: GET /projects/{id}/arrivals and POST /projects/{id}/test-event; GET /account/browser-sessions and DELETE
 * /account/browser-sessions/{id}.
 * Because: the waiting page must tell what arrived and was not stored, and the dashboard's own Origin may not send
 * events; a person must see where they are logged in and end it.
 * Cost: four more paths to keep.
 * Revisit: if the contract gets its own.
 */

import type { Scope } from "../../domain/scope";

/**
 * Who may call: a scope = API key, cookie, or an agent session that holds it; `key` = API key or cookie; `cookie` = a
 * browser session; `admin` = that of an administrator; `own` = any, but an agent session only about itself; `program` =
 * API key or agent session, each in its header; `optional` = with account:read or without any credential; `token` = the
 * public project token in the body or query; `none` = everybody.
 */
export type Access =
  | Scope
  | "key"
  | "cookie"
  | "admin"
  | "own"
  | "program"
  | "optional"
  | "token"
  | "none";

/** Tells whether an operation looks at an account's credential. */
export const hasAccount = (access: Access): boolean => access !== "none" && access !== "token";

export interface AccessRule {
  readonly access: Access;
  readonly plan: "free" | "pro";
  /** Counts towards the monthly reads of a plan and carries the usage headers (R of the index). */
  readonly read: boolean;
  /** Allowed to demo sessions (D of the index). */
  readonly demo: boolean;
}

type Marks = "" | "R" | "D" | "RD";

const free = (access: Access, marks: Marks = ""): AccessRule => rule(access, "free", marks);
const pro = (access: Access, marks: Marks = ""): AccessRule => rule(access, "pro", marks);
const rule = (access: Access, plan: AccessRule["plan"], marks: Marks): AccessRule => ({
  access,
  plan,
  read: marks.includes("R"),
  demo: marks.includes("D"),
});

/**
 * The endpoint index, complete: gates, tests and the OpenAPI document read it. An operation
 * whose route is not mounted yet does not exist for a caller.
 */
export const endpointIndex = {
  "POST /track": free("token"),
  "POST /track/batch": free("token"),
  "POST /identify": free("token"),
  "GET /experiments/config": free("token"),
  "GET /tracker.js": free("none"),
  "GET /tracker.src.js": free("none"),
  "GET /replay.js": free("none"),
  "GET /replays/config": free("token"),
  "POST /replays/ingest/start": pro("token"),
  "POST /replays/ingest/{id}/segments": pro("token"),
  "POST /replays/ingest/{id}/finish": pro("token"),

  "GET /stats": free("analytics:read", "RD"),
  "GET /events": free("analytics:read", "RD"),
  "GET /properties": free("analytics:read", "RD"),
  "GET /properties/received": free("analytics:read", "RD"),
  "GET /breakdown": free("analytics:read", "RD"),
  "GET /bot-traffic": free("analytics:read", "RD"),
  "POST /query": pro("analytics:read", "RD"),
  "POST /paths": pro("analytics:read", "RD"),
  "POST /funnel": pro("analytics:read", "RD"),
  "GET /insights": pro("analytics:read", "RD"),
  "GET /changes": pro("analytics:read", "RD"),
  "GET /pages": pro("analytics:read", "RD"),
  "GET /sessions": pro("analytics:read", "RD"),
  "GET /sessions/distribution": pro("analytics:read", "RD"),
  "GET /heatmap": pro("analytics:read", "RD"),
  "GET /retention": pro("analytics:read", "RD"),
  "POST /events/lookup": pro("analytics:read", "R"),
  "POST /events": pro("analytics:read", "R"),
  "POST /journey/lookup": pro("analytics:read", "R"),
  "POST /journey": pro("analytics:read", "R"),
  "GET /journey": pro("analytics:read", "RD"),
  "POST /identities/unlink": free("projects:write"),

  "GET /trust": free("analytics:read", "RD"),
  "PUT /trust": free("projects:write"),
  "GET /trust/rules": free("none"),

  "GET /live": pro("live:read", "RD"),
  "GET /stream": pro("live:read", "R"),
  "GET /live/ws": pro("live:read", "R"),

  "GET /projects": free("projects:read", "D"),
  "POST /projects": free("projects:write"),
  "GET /projects/{id}": free("projects:read", "D"),
  "PATCH /projects/{id}": free("projects:write"),
  "DELETE /projects/{id}": free("projects:write"),
  "GET /projects/{id}/usage": free("projects:read", "D"),
  // The contract's index does not have it: the page that waits for a first event shows and offers it.
  "GET /projects/{id}/arrivals": free("projects:read"),
  "POST /projects/{id}/test-event": free("projects:write"),
  "GET /project-context": free("projects:read", "D"),
  "PUT /project-context": free("projects:write"),
  "POST /project-context/annotations": free("projects:write"),
  "PATCH /project-context/annotations/{id}": free("projects:write"),
  "DELETE /project-context/annotations/{id}": free("projects:write"),
  "GET /portfolio-context": free("projects:read", "D"),
  "PUT /portfolio-context": free("projects:write"),
  "GET /portfolios": free("projects:read", "D"),
  "POST /portfolios": free("projects:write"),
  "GET /portfolios/{idOrSlug}": free("projects:read", "D"),
  "PATCH /portfolios/{idOrSlug}": free("projects:write"),
  "DELETE /portfolios/{idOrSlug}": free("projects:write"),

  "GET /views": free("projects:read"),
  "POST /views": free("projects:write"),
  "PATCH /views/{id}": free("projects:write"),
  "DELETE /views/{id}": free("projects:write"),
  "GET /shares": free("key"),
  "POST /shares": free("key"),
  "DELETE /shares/{id}": free("key"),
  "GET /share/{token}": free("none"),
  "POST /share/{token}": free("none"),

  "GET /account": free("account:read", "D"),
  "DELETE /account": free("cookie"),
  "GET /account/all-sites": free("account:read", "RD"),
  "GET /account/bot-traffic": free("account:read", "RD"),
  // The contract's index does not have it: the settings page shows and disconnects these.
  "GET /account/browser-sessions": free("cookie"),
  "DELETE /account/browser-sessions/{id}": free("cookie"),
  "POST /account/feedback": free("feedback:write"),
  "GET /account/agent-sessions": free("account:read"),
  "POST /account/revoke-key": free("key"),
  "GET /account/api-key": free("cookie"),
  "POST /account/api-key": free("cookie"),
  "DELETE /account/api-key": free("cookie"),

  "POST /agent-sessions/start": free("none"),
  "POST /agent-sessions/poll": free("none"),
  "POST /agent-sessions/exchange": free("none"),
  "POST /agent-sessions/refresh": free("none"),
  "GET /agent-sessions/authorize/{id}": free("cookie"),
  "POST /agent-sessions/authorize/{id}/approve": free("cookie"),
  "POST /agent-sessions/authorize/{id}/deny": free("cookie"),
  "POST /agent-sessions/revoke": free("own"),

  "POST /experiments": pro("experiments:write"),
  "GET /experiments": pro("experiments:read", "RD"),
  "GET /experiments/{id}": pro("experiments:read", "RD"),
  "PATCH /experiments/{id}": pro("experiments:write"),
  "DELETE /experiments/{id}": pro("experiments:write"),

  "GET /replays": pro("replays:read"),
  "DELETE /replays": pro("replays:write"),
  "GET /replays/settings": pro("replays:read"),
  "PUT /replays/settings": pro("replays:write"),
  "GET /replays/usage": pro("replays:read"),
  "POST /replays/enable": pro("replays:write"),
  "POST /replays/disable": pro("replays:write"),
  "GET /replays/{id}": pro("replays:read"),
  "GET /replays/{id}/timeline": pro("replays:read"),
  "DELETE /replays/{id}": pro("replays:write"),
  "POST /replays/{id}/open": pro("replays:read"),
  "GET /replays/view/{token}": pro("none"),
  "GET /replays/view/{token}/data": pro("none"),
  "GET /replays/view/{token}/timeline": pro("none"),
  "GET /replay-player.js": pro("none"),

  "POST /website-scans": free("optional"),
  "GET /website-scans/{id}": free("optional"),
  "POST /website-scans/{id}/upgrade": free("account:read"),
  "POST /cli/website-scans": free("account:read"),

  "POST /demo/session": free("none"),

  "GET /auth/state": free("none"),
  "POST /auth/setup": free("none"),
  "POST /auth/signup": free("none"),
  "POST /auth/login": free("none"),
  // It takes a cookie, but answers 200 without one too.
  "POST /auth/logout": free("none"),
  "POST /auth/password": free("cookie"),
  "GET /billing": free("cookie"),
  "POST /billing/checkout": free("cookie"),
  "POST /webhooks/stripe": free("none"),
  "GET /admin/accounts": free("admin"),
  "POST /admin/accounts": free("admin"),
  "PATCH /admin/accounts/{id}": free("admin"),
  "DELETE /admin/accounts/{id}": free("admin"),
  "GET /admin/feedback": free("admin"),

  // Its tools have the gates of the operations that they ask.
  "POST /mcp": free("program", "D"),

  "GET /.well-known/oauth-protected-resource": free("none"),
  "GET /.well-known/oauth-protected-resource/mcp": free("none"),
  "GET /.well-known/oauth-authorization-server": free("none"),
  "GET /oauth/authorize": free("none"),
  "POST /oauth/token": free("none"),
  "POST /oauth/register": free("none"),
  "POST /oauth/revoke": free("none"),
  "GET /llms.txt": free("none"),
  "GET /skill.md": free("none"),
  "GET /.well-known/agent-skills/index.json": free("none"),

  "GET /health": free("none"),
  "GET /health/ready": free("none"),
  "GET /metrics": free("none"),
  "GET /openapi.json": free("none"),
  "GET /docs": free("none"),
} as const satisfies Readonly<Record<string, AccessRule>>;

export type OperationName = keyof typeof endpointIndex;

/** Operations whose answer is a stream: they have no HEAD. */
export const streams: ReadonlySet<string> = new Set(["GET /stream", "GET /live/ws"]);

/** Operations that answer with a page for people: their errors are pages too, and other sites get no access. */
export const htmlOperations: ReadonlySet<string> = new Set([
  "GET /docs",
  "GET /oauth/authorize",
  "GET /agent-sessions/authorize/{id}",
  "POST /agent-sessions/authorize/{id}/approve",
  "POST /agent-sessions/authorize/{id}/deny",
  "GET /replays/view/{token}",
  "GET /share/{token}",
  "POST /share/{token}",
]);

/**
 * Scripts, documents and probes: what they are asked with beyond their own parameters changes nothing. So it is with
 * pages and ingestion, which look at their input by themselves, and with messages of a protocol that has rules of its
 * own; every other operation refuses what it does not know.
 */
export const lenientOperations: ReadonlySet<string> = new Set([
  "GET /tracker.js",
  "GET /tracker.src.js",
  "GET /replay.js",
  "GET /replay-player.js",
  "GET /health",
  "GET /health/ready",
  "GET /metrics",
  "GET /openapi.json",
  "GET /docs",
  "GET /.well-known/oauth-protected-resource",
  "GET /.well-known/oauth-protected-resource/mcp",
  "GET /.well-known/oauth-authorization-server",
  "GET /oauth/authorize",
  "POST /oauth/token",
  "POST /oauth/register",
  "POST /oauth/revoke",
  "GET /llms.txt",
  "GET /skill.md",
  "GET /.well-known/agent-skills/index.json",
  "POST /mcp",
]);

/**
 * Tells whether an operation takes its input from the query string: GET, and one that deletes what a list would show.
 */
export const takesQuery = (name: string): boolean =>
  name.startsWith("GET ") || name === "DELETE /replays";

/**
 * Operations that are called by the thousand a second, or by a probe. Their requests are logged only when they fail.
 */
export const quietOperations: ReadonlySet<string> = new Set([
  "POST /track",
  "POST /track/batch",
  "POST /identify",
  "POST /replays/ingest/{id}/segments",
  "GET /tracker.js",
  "GET /replay.js",
  "GET /replays/config",
  "GET /experiments/config",
  "GET /health",
  "GET /health/ready",
  "GET /metrics",
]);

/** `GET /projects/{id}` → its method and path. */
export function splitName(name: string): { readonly method: string; readonly path: string } {
  const space = name.indexOf(" ");
  return { method: name.slice(0, space), path: name.slice(space + 1) };
}
