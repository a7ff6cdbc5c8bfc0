import { Database } from "bun:sqlite";
import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { replaceLogWriter } from "../../lib/log";
import { migrate } from "../migrate";
import { accountsOfPeople } from "./accounts";
import { type Control, openControl } from "./control";
import { schema } from "./database";
import { personByEmail } from "./people";

/** The tables in which an account was one log-in, as the migration before that of members left them. */
const before = schema.migrations.filter(({ tag }) => tag < "0018_members");
const accounts = `
  insert into account
    (id, email, password_hash, tier, complimentary, is_admin, is_demo, created_at, deleted_at)
  values
    ('acc_ann', 'ann@example.com', 'hash of ann', 'pro', 1, 1, 0, 10, null),
    ('acc_bob', 'bob@example.com', 'hash of bob', 'free', 0, 0, 0, 20, null),
    ('acc_old', 'bob@example.com', '', 'free', 0, 0, 0, 5, 15),
    ('acc_demo', 'demo', '', 'pro', 0, 0, 1, 30, null)`;
const credentials = [
  `insert into api_key values ('acc_ann', 'key of ann', 'aak_0123', 11, 12)`,
  `insert into cookie_session (hash, account_id, created_at, expires_at, label, network)
     values ('cookie of ann', 'acc_ann', 10, 100, 'Firefox', '10.0.0.0/24'),
       ('cookie of bob', 'acc_bob', 20, 100, null, null)`,
  ...["ann", "demo"].flatMap((name) => [
    `insert into agent_session (id, account_id, client_type, scopes, refresh_hash, created_at, last_used_at,
       access_expires_at, refresh_expires_at)
     values ('ags_${name}', 'acc_${name}', 'cli', 'live:read', 'refresh of ${name}', 1, 1, 100, 100)`,
    `insert into access_token values ('token of ${name}', 'ags_${name}', 100, null)`,
  ]),
  `insert into auth_request (id, mode, state, client_type, scopes, approval_code, poll_token_hash, account_id,
     created_at, expires_at)
   values ('req_ann', 'detached', 'approved', 'cli', 'live:read', 'A', 'p', 'acc_ann', 1, 100),
     ('req_open', 'detached', 'pending', 'cli', 'live:read', 'A', 'p', null, 1, 100)`,
];

let dataDir = "";
let control: Control;
let restoreLog: () => void;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), "sightline-members-"));
  restoreLog = replaceLogWriter(() => undefined);
  const file = join(dataDir, "control.db");
  const old = new Database(file, { create: true, strict: true });
  migrate(old, file, { ...schema, migrations: before });
  for (const statement of [accounts, ...credentials]) old.run(statement);
  old.close();
  control = openControl({ dataDir, identitySecret: null });
});
afterEach(() => {
  control.close();
  restoreLog();
  rmSync(dataDir, { recursive: true, force: true });
});

const owner = { role: "owner", projects: null, people: true } as const;

test("an account becomes an account and the person who owns it", () => {
  expect(accountsOfPeople(control)).toMatchObject([
    {
      account: { id: "acc_ann", name: null, tier: "pro", complimentary: true, createdAtMs: 10 },
      person: {
        ...{ id: "usr_ann", email: "ann@example.com", passwordHash: "hash of ann" },
        ...{ isAdmin: true, createdAtMs: 10 },
      },
    },
    { account: { id: "acc_bob" }, person: { id: "usr_bob", isAdmin: false } },
  ]);
  // The deleted account that had the same address has nobody.
  expect(personByEmail(control, "bob@example.com")?.id).toBe("usr_bob");
});

test("keys, browsers and agents go on", () => {
  const ann = { account: { id: "acc_ann" }, person: { id: "usr_ann" }, standing: owner };
  expect(control.credentials.holderOfKey("key of ann")).toMatchObject(ann);
  expect(control.credentials.holderOfSession("cookie of ann", 50)).toMatchObject(ann);
  expect(control.credentials.holderOfSession("cookie of bob", 50)?.person.id).toBe("usr_bob");
  expect(control.agents.holderOfToken("token of ann", 50)).toMatchObject({
    ...ann,
    scopes: "live:read",
  });
  expect(control.agents.holderOfToken("token of demo", 50)).toMatchObject({
    account: { id: "acc_demo" },
    person: null,
    isDemo: true,
  });
});

test("nothing else of the rows was lost", () => {
  const rows = (sql: string) => control.db.all(sql);
  expect(rows("select prefix, created_at, last_used_at from api_key")).toEqual([
    { prefix: "aak_0123", created_at: 11, last_used_at: 12 },
  ]);
  expect(rows("select label, network from cookie_session order by hash")).toEqual([
    { label: "Firefox", network: "10.0.0.0/24" },
    { label: null, network: null },
  ]);
  expect(rows("select id, account_id, person_id from auth_request order by id")).toEqual([
    { id: "req_ann", account_id: "acc_ann", person_id: "usr_ann" },
    { id: "req_open", account_id: null, person_id: null },
  ]);
  expect(rows("select id, refresh_hash from agent_session order by id")).toEqual([
    { id: "ags_ann", refresh_hash: "refresh of ann" },
    { id: "ags_demo", refresh_hash: "refresh of demo" },
  ]);
  expect(rows("pragma foreign_key_check")).toEqual([]);
});
