import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { serverItself } from "../../src/domain/audit";
import { ApiError } from "../../src/domain/errors";
import { hasAccount } from "../../src/http/operation/facts";
import { noteAhead, noteRead } from "../../src/store/control/audit";
import { auditEntry } from "../../src/store/control/audit-tables";
import { noteLocked } from "../../src/store/control/people";
import { noonMs, type TestApp } from "../support/app/app";
import { closeChanges, entered, marker, openChanges, passwords } from "../support/app/audited";
import { answerTo, rowsOf } from "../support/app/matrix";
import { addMember, type TestMember } from "../support/app/members";
import { operations } from "../support/app/operations";
import { onEach } from "../support/engine/opened-engine";

/** The operations that enter nothing in the audit log, by hand: a new one enters something, or must be added here. */
const unentered: readonly (readonly [reason: string, names: string])[] = [
  [
    "what visitors send, which the token in public pages lets anybody do",
    "POST /track, POST /track/batch, POST /identify, POST /replays/ingest/start, " +
      "POST /replays/ingest/{id}/segments, POST /replays/ingest/{id}/finish",
  ],
  [
    "texts and settings of the team's work: they give nobody a right and change no number",
    "PUT /project-context, POST /project-context/annotations, PATCH /project-context/annotations/{id}, " +
      "DELETE /project-context/annotations/{id}, PUT /portfolio-context, POST /views, PATCH /views/{id}, " +
      "DELETE /views/{id}, POST /experiments, PATCH /experiments/{id}, DELETE /experiments/{id}, POST /goals, " +
      "PATCH /goals/{id}, DELETE /goals/{id}",
  ],
  [
    "it changes nothing that stays: it computes, waits, or sends once",
    "POST /alerts/{id}/evaluate, POST /alerts/{id}/test, POST /webhooks/{id}/test, POST /admin/mail/test, " +
      "POST /webhooks/{id}/deliveries/{delivery}/again, POST /projects/{id}/test-event, POST /admin/backups/run, " +
      "POST /billing/checkout, POST /account/feedback, POST /mcp",
  ],
  [
    "a file that was sent is not data yet: its commit enters it",
    "POST /imports, PUT /imports/{id}/data, POST /imports/{id}/check",
  ],
  [
    "a step before the one that counts, which is entered; or the end of one's own browser or of a message to oneself",
    "POST /auth/invitation, POST /auth/forgot, POST /auth/logout, POST /auth/confirm, POST /auth/two-factor/setup, " +
      "POST /agent-sessions/start, POST /agent-sessions/poll, POST /agent-sessions/exchange, " +
      "POST /agent-sessions/refresh, POST /agent-sessions/authorize/{id}/deny, POST /oauth/token, " +
      "POST /oauth/register, POST /unsubscribe/{token}, POST /confirm/{token}, POST /share/{token}",
  ],
  ["nobody is behind the demo, and its data is nobody's", "POST /demo/session"],
  [
    "it reads a public site",
    "POST /website-scans, POST /cli/website-scans, POST /website-scans/{id}/upgrade",
  ],
];

/** Operations whose entries other suites look at, as it takes a world of their own to cause them. */
const elsewhere: readonly string[] = [
  "POST /auth/setup, POST /auth/login/second, POST /auth/two-factor/enable",
  "POST /auth/two-factor/recovery-codes, POST /auth/two-factor/disable",
  "POST /admin/accounts/{id}/two-factor/off, POST /people/export, POST /webhooks/stripe",
  "POST /admin/backups/drill, POST /reports, PATCH /reports/{id}, DELETE /reports/{id}",
  "POST /reports/{id}/send, POST /oauth/revoke, POST /auth/reset, POST /people/erase",
  "POST /admin/accounts/{id}/reset-link, POST /auth/identities/unlink",
].flatMap((line) => line.split(", "));

let app: TestApp;
let viewer: TestMember;
beforeAll(async () => {
  app = await openChanges();
  viewer = await addMember(app, { role: "viewer", people: false, projects: [] });
});
afterAll(closeChanges);

const entries = () => app.deps.control.db.select().from(auditEntry).all();
const actionsSince = (before: number): readonly string[] =>
  entries()
    .slice(before)
    .map(({ action }) => action)
    .sort();

test("each operation that changes something enters it, or stands in the list with a reason", () => {
  const changing = operations
    .filter(({ name, rule }) => !name.startsWith("GET ") && !rule.read)
    .map(({ name }) => name);
  const listed = [
    ...entered.map(([name]) => name).filter((name) => !name.startsWith("GET ")),
    ...unentered.flatMap(([, names]) => names.split(", ")),
    ...elsewhere,
  ];
  const reads = operations.filter(({ rule }) => rule.read).map(({ name }): string => name);
  const once = [...new Set(listed)].filter((name) => !reads.includes(name));
  expect(once.sort()).toEqual([...changing].sort());
});

describe("an operation enters what it did, once, and nothing else", () => {
  // Imports are refused where ClickHouse has the events.
  const tried = entered.filter(([name]) => onEach(true, !name.includes(" /imports")));
  test.each(tried)("%s: %p", async (_, actions, act) => {
    const before = entries().length;
    await act();
    expect(actionsSince(before)).toEqual([...actions].sort());
  });
});

test("whoever is refused enters nothing", async () => {
  const before = entries().length;
  const rows = rowsOf(app).filter(({ isMounted, access }) => isMounted && hasAccount(access));
  for (const row of rows) {
    const path = row.path.replace(/\{\w+\}/g, "nothing");
    const body = row.method === "GET" ? {} : { body: "{" };
    for (const call of [viewer.key, { headers: { "x-api-key": "aak_unknown" } }]) {
      await answerTo(app, row, path, { ...call, ...body });
    }
  }
  expect(actionsSince(before)).toEqual([]);
});

test("no entry has a secret, an address of a machine, a text of visitors or what somebody looked up", () => {
  const told = JSON.stringify(entries());
  expect(entries().length).toBeGreaterThan(40);
  expect(told).not.toContain(marker);
  for (const secret of passwords) expect(told).not.toContain(secret);
  // Prefixes of secrets with their digits, hashes of passwords, and addresses that are no network.
  expect(told).not.toMatch(/\b(aa[a-z]|sht|ivt|rst|rvt|unt|pwt|lgt|whsec)_[0-9a-zA-Z+/]{6}/);
  expect(told).not.toMatch(/\$argon2|hooks\.example\.com/);
  const addresses = told.match(/\b\d{1,3}(\.\d{1,3}){3}(\/\d+)?/g) ?? [];
  expect(addresses.length).toBeGreaterThan(0);
  expect(addresses.filter((one) => !/\.0\/24$/.test(one))).toEqual([]);
});

test("a sign-in that fails too often is entered once for a lock, with its network, 100 times a day", async () => {
  const { email } = viewer;
  const before = entries().length;
  let network = 0;
  const fail = async (times: number) => {
    network += 1;
    const from = `10.9.${network}.7`;
    for (let n = 0; n < times; n++) {
      await app.send("POST", "/auth/login", { body: { email, password: "wrong guess" }, from });
    }
  };
  await fail(9);
  expect(actionsSince(before)).toEqual([]);
  await fail(12);
  expect(actionsSince(before)).toEqual(["sign_in_locked"]);
  expect(entries().at(-1)).toMatchObject({ actorKind: "server", network: "10.9.2.0/24" });
  for (let more = 0; more < 101; more++) noteLocked(app.deps.control, viewer.personId, null);
  expect(actionsSince(before).length).toBe(100);
  app.setTime(noonMs + 30 * 86_400_000);
  await fail(10);
  expect(actionsSince(before).length).toBe(101);
});

test("a disk that takes nothing refuses no read: the log has the entry then", () => {
  const { control } = app.deps;
  const target = { type: "replay", id: "rep_1" };
  const entry = {
    ...{ accountId: null, actor: serverItself, target },
    action: "replay_opened",
  } as const;
  const full = new ApiError("UNAVAILABLE", "The server cannot write to its disk.");
  const refusing = (thrown: Error): Parameters<typeof noteRead>[0] => {
    const refused = Object.create(control);
    refused.write = () => {
      throw thrown;
    };
    return refused;
  };
  const before = app.logged.length;
  noteRead(refusing(full), entry);
  expect(app.logged.slice(before).join("")).toContain("the audit log could not be written");
  expect(() => noteRead(refusing(new Error("a fault")), entry)).toThrow("a fault");
  const changes = (): void => noteAhead(refusing(full), entry);
  expect(changes).toThrow(full);
});
