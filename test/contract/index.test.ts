import { expect, test } from "bun:test";
import type { AccessRule } from "../../src/http/operation/facts";
import { endpointIndex } from "../support/app/operations";

/**
 * The index of endpoints a second time: access, plan, marks, operations. What gates and
 * tests read is `operations`, so a slip there would change all of them at once.
 */
const index = `
token  F    POST /track, POST /track/batch, POST /identify, GET /experiments/config, GET /replays/config
-      F    GET /tracker.js, GET /tracker.src.js, GET /replay.js
token  P    POST /replays/ingest/start, POST /replays/ingest/{id}/segments, POST /replays/ingest/{id}/finish
n:r    F RD GET /stats, GET /events, GET /properties, GET /properties/received, GET /breakdown, GET /bot-traffic
n:r    F RD GET /trust, GET /history
n:r    P RD POST /query, POST /paths, POST /funnel, GET /insights, GET /changes, GET /pages, GET /sessions
n:r    P RD GET /sessions/distribution, GET /heatmap, GET /retention, GET /journey
n:r    P R  POST /events/lookup, POST /events, POST /journey/lookup, POST /journey
p:w    F    POST /identities/unlink, PUT /trust
l:r    P RD GET /live
l:r    P R  GET /stream, GET /live/ws
p:r    F D  GET /projects, GET /projects/{id}, GET /projects/{id}/usage, GET /project-context
p:r    F D  GET /portfolio-context, GET /portfolios, GET /portfolios/{idOrSlug}
p:r    F    GET /projects/{id}/sources, GET /projects/{id}/exclusions
p:r    F    GET /projects/{id}/archive
p:w    F    POST /projects/{id}/sources, DELETE /projects/{id}/sources/{source}
p:w    F    PUT /projects/{id}/exclusions
d:x    F    GET /export
d:w    F    POST /imports, POST /imports/{id}/check, POST /imports/{id}/commit, PUT /imports/{id}/data
d:w    F    DELETE /imports/{id}
p:r    F    GET /imports, GET /imports/{id}
p:w    F    POST /projects, PATCH /projects/{id}, DELETE /projects/{id}, PUT /project-context, PUT /portfolio-context
p:w    F    POST /project-context/annotations, PATCH /project-context/annotations/{id}
p:w    F    DELETE /project-context/annotations/{id}
p:w    F    POST /portfolios, PATCH /portfolios/{idOrSlug}, DELETE /portfolios/{idOrSlug}
p:r    F D  GET /goals
p:w    F    POST /goals, PATCH /goals/{id}, DELETE /goals/{id}
p:r    F    GET /views
p:w    F    POST /views, PATCH /views/{id}, DELETE /views/{id}
n:r    P    GET /alerts, POST /alerts/{id}/evaluate
p:w    P    POST /alerts, PATCH /alerts/{id}, DELETE /alerts/{id}, POST /alerts/{id}/test
n:r    P    GET /reports, GET /reports/{id}/preview, POST /reports/{id}/send
p:w    P    POST /reports, PATCH /reports/{id}, DELETE /reports/{id}
-      F    GET /unsubscribe/{token}, POST /unsubscribe/{token}, GET /confirm/{token}, POST /confirm/{token}
key    F    GET /webhooks, POST /webhooks, PATCH /webhooks/{id}, DELETE /webhooks/{id}, POST /webhooks/{id}/rotate
key    F    POST /webhooks/{id}/test, GET /webhooks/{id}/deliveries
key    F    POST /webhooks/{id}/deliveries/{delivery}/again
key    F    POST /people/export, POST /people/erase, GET /people/erasures, GET /people/erasures/{id}
key    F    GET /shares, POST /shares, DELETE /shares/{id}
-      F    GET /share/{token}, POST /share/{token}
a:r    F D  GET /account
a:r    F RD GET /account/all-sites, GET /account/bot-traffic
f:w    F    POST /account/feedback
a:r    F    GET /account/agent-sessions
m:r    F    GET /members
key    F    GET /audit
key    F    PATCH /members/{id}, DELETE /members/{id}, POST /members/invitations, DELETE /members/invitations/{id}
-      F    POST /auth/invitation, POST /auth/invitation/accept
cookie F    PATCH /account, POST /account/transfer, POST /auth/confirm
cookie F    GET /auth/two-factor, POST /auth/two-factor/setup, POST /auth/two-factor/enable
cookie F    POST /auth/two-factor/recovery-codes, POST /auth/two-factor/disable
-      F    POST /auth/login/second, POST /auth/forgot, POST /auth/reset
-      F    GET /auth/oidc, GET /auth/oidc/callback
cookie F    GET /auth/identities, POST /auth/identities/unlink
admin  F    POST /admin/accounts/{id}/two-factor/off, POST /admin/accounts/{id}/reset-link
key    F    POST /account/revoke-key
cookie F    GET /account/api-key, POST /account/api-key, DELETE /account/api-key, DELETE /account
-      F    POST /agent-sessions/start, POST /agent-sessions/poll
-      F    POST /agent-sessions/exchange, POST /agent-sessions/refresh
cookie F    GET /agent-sessions/authorize/{id}
cookie F    POST /agent-sessions/authorize/{id}/approve, POST /agent-sessions/authorize/{id}/deny
own    F    POST /agent-sessions/revoke
e:w    P    POST /experiments, PATCH /experiments/{id}, DELETE /experiments/{id}
e:r    P RD GET /experiments, GET /experiments/{id}
r:r    P D  GET /replays, GET /replays/{id}, POST /replays/{id}/open, GET /replays/{id}/timeline
r:r    P    GET /replays/settings, GET /replays/usage
r:w    P    PUT /replays/settings, POST /replays/enable, POST /replays/disable, DELETE /replays/{id}, DELETE /replays
-      P    GET /replays/view/{token}/timeline
-      P    GET /replays/view/{token}, GET /replays/view/{token}/data, GET /replay-player.js
or a:r F    POST /website-scans, GET /website-scans/{id}
a:r    F    POST /cli/website-scans, POST /website-scans/{id}/upgrade
-      F    POST /demo/session, GET /auth/state, POST /auth/setup, POST /auth/signup, POST /auth/login
cookie F    POST /auth/password, GET /billing, POST /billing/checkout
-      F    POST /webhooks/stripe, POST /auth/logout
admin  F    GET /admin/accounts, POST /admin/accounts, PATCH /admin/accounts/{id}, DELETE /admin/accounts/{id}
admin  F    GET /admin/conditions, GET /admin/disk
admin  F    GET /admin/audit, GET /admin/feedback, GET /admin/mail, POST /admin/mail/test
admin  F    GET /admin/backups, POST /admin/backups/run, POST /admin/backups/drill
program F D POST /mcp
-      F    GET /.well-known/oauth-protected-resource, GET /.well-known/oauth-protected-resource/mcp
-      F    GET /.well-known/oauth-authorization-server, GET /oauth/authorize
-      F    POST /oauth/token, POST /oauth/register, POST /oauth/revoke
-      F    GET /llms.txt, GET /skill.md, GET /.well-known/agent-skills/index.json
-      F    GET /trust/rules
-      F    GET /health, GET /health/ready, GET /metrics, GET /openapi.json, GET /docs`;

/** Operations that our own pages call, and that the contract's index does not have. */
const beyond: ReadonlySet<string> = new Set([
  "GET /projects/{id}/arrivals",
  "POST /projects/{id}/test-event",
  "GET /account/browser-sessions",
  "DELETE /account/browser-sessions/{id}",
]);

const letters: Readonly<Record<string, string>> = {
  a: "account",
  m: "members",
  d: "data",
  p: "projects",
  n: "analytics",
  e: "experiments",
  f: "feedback",
  l: "live",
  r: "replays",
};

/** The columns of the index. Roles are in a table of their own (rights.test.ts). */
type IndexRow = Pick<AccessRule, "access" | "plan" | "read" | "demo">;
const columnsOf = ({ access, plan, read, demo }: AccessRule): IndexRow => ({
  ...{ access, plan, read, demo },
});

const verbs: Readonly<Record<string, string>> = { r: "read", w: "write", x: "export" };

function accessOf(word: string): string {
  if (word === "-") return "none";
  if (word === "or a:r") return "optional";
  const [letter = "", verb] = word.split(":");
  return verb === undefined ? word : `${letters[letter]}:${verbs[verb]}`;
}

test("the table of operations is the contract's index, cell by cell", () => {
  const rows = index
    .trim()
    .split("\n")
    .flatMap((line): [string, IndexRow][] => {
      const [, word = "", plan, marks = "", names = ""] =
        /^(or a:r|\S+) +([FP]) (RD|R|D)? *(.*)$/.exec(line) ?? [];
      const access = accessOf(word) as AccessRule["access"];
      const row: IndexRow = {
        access,
        plan: plan === "F" ? "free" : "pro",
        read: marks.includes("R"),
        demo: marks.includes("D"),
      };
      return names.split(", ").map((name) => [name, row]);
    });
  const ours = Object.entries(endpointIndex)
    .filter(([name]) => !beyond.has(name))
    .map(([name, rule]) => [name, columnsOf(rule)]);
  expect(Object.fromEntries(rows)).toEqual(Object.fromEntries(ours));
  expect(rows.length).toBe(ours.length);
});
