import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { accessTokenMs, refreshTokenMs } from "../../domain/limits";
import { sha256Hex } from "../../lib/ids";
import { addAccount } from "./accounts";
import { accessToken, agentSession, authRequest } from "./agent-tables";
import { authRequestKeptMs, demoSessionMs, endedSessionKeptMs } from "./agents";
import { type Control, openControl } from "./control";
import type { MemberId } from "./keys";
import { account } from "./tables";

let dataDir = "";
let control: Control;
let owner: MemberId;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), "sightline-agents-"));
  control = openControl({ dataDir, identitySecret: null });
  const made = addAccount(control, { email: "a@example.com", passwordHash: "", tier: "pro" });
  owner = { accountId: made.account.id, personId: made.person.id };
});
afterEach(() => {
  control.close();
  rmSync(dataDir, { recursive: true, force: true });
});

const begin = (nowMs: number) =>
  control.agents.addSession({ ...owner, scopes: ["live:read"], clientType: "cli" }, nowMs);
const sessions = () => control.db.select({ id: agentSession.id }).from(agentSession).all();
const tokens = () => control.db.select().from(accessToken).all();

test("a session keeps hashes, and is found by that of its access token", () => {
  const begun = begin(0);
  const kept = JSON.stringify([...tokens(), ...control.db.select().from(agentSession).all()]);
  expect(kept).not.toContain(begun.accessToken);
  expect(kept).not.toContain(begun.refreshToken);
  expect(kept).toContain(sha256Hex(begun.refreshToken));
  expect(control.agents.holderOfToken(sha256Hex(begun.accessToken), 1)).toMatchObject({
    id: begun.id,
    scopes: "live:read",
    isDemo: false,
    account: { id: owner.accountId },
    person: { id: owner.personId },
    standing: { role: "owner", projects: null },
  });
});

test("an account that is gone takes its sessions along", () => {
  const begun = begin(0);
  control.db.update(account).set({ deletedAtMs: 1 }).run();
  expect(control.agents.holderOfToken(sha256Hex(begun.accessToken), 1)).toBeUndefined();
  control.db.delete(account).run();
  expect([sessions(), tokens()]).toEqual([[], []]);
});

test("expired tokens are forgotten at once, ended sessions after 90 days", () => {
  const ended = begin(0);
  control.agents.forgetEnded(accessTokenMs - 1);
  expect(tokens().length).toBe(1);
  control.agents.forgetEnded(accessTokenMs);
  expect([tokens().length, sessions().length]).toEqual([0, 1]);
  control.agents.forgetEnded(ended.refreshExpiresAtMs + endedSessionKeptMs);
  expect(sessions().length).toBe(1);
  control.agents.forgetEnded(ended.refreshExpiresAtMs + endedSessionKeptMs + 1);
  expect(sessions().length).toBe(0);
  begin(0);
  control.db.update(agentSession).set({ revokedAtMs: 10 }).run();
  control.agents.forgetEnded(10 + endedSessionKeptMs);
  expect(sessions().length).toBe(1);
  control.agents.forgetEnded(10 + endedSessionKeptMs + 1);
  expect(sessions().length).toBe(0);
});

test("a demo session is forgotten when it ends", () => {
  const { accessExpiresAtMs } = control.agents.addDemoSession(owner.accountId, ["live:read"], 0);
  const kept = begin(0);
  expect(accessExpiresAtMs).toBe(demoSessionMs);
  control.agents.forgetEnded(demoSessionMs - 1);
  expect(sessions().length).toBe(2);
  control.agents.forgetEnded(demoSessionMs);
  expect(sessions()).toEqual([{ id: kept.id }]);
  expect(kept.refreshExpiresAtMs).toBe(refreshTokenMs);
});

test("a request is forgotten a day after its time ran out, whatever became of it", () => {
  for (const state of ["pending", "approved", "exchanged", "revoked"] as const) {
    const client = { clientType: "cli", scopes: "live:read", mode: "detached" } as const;
    const secrets = { approvalCode: "ABCDEFGH", pollTokenHash: "" };
    const times = { createdAtMs: 0, expiresAtMs: 10 };
    control.db
      .insert(authRequest)
      .values({ id: `req_${state}`, state, ...client, ...secrets, ...times })
      .run();
  }
  const kept = () => control.db.select().from(authRequest).all().length;
  control.agents.forgetEnded(10 + authRequestKeptMs);
  expect(kept()).toBe(4);
  control.agents.forgetEnded(10 + authRequestKeptMs + 1);
  expect(kept()).toBe(0);
});
