import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { sql } from "drizzle-orm";
import type { OperationName } from "../../src/http/operation/facts";
import { dayMs } from "../../src/lib/clock";
import { type RowsBound, strangersBytes } from "../../src/store/control/room";
import { strangersBounds } from "../../src/store/control/strangers";
import { savedSites } from "../scans/sites";
import { noonMs, type TestApp, testApp } from "../support/app/app";
import { beginDemo, shortenDemo } from "../support/app/demo";
import { kept } from "../support/app/kept-of-strangers";
import { authorizePath, loopback, newPkce, register, registered } from "../support/app/oauth";
import { endpointIndex } from "../support/app/operations";

/**
 * All that somebody without an account can make this server keep, each with its bound in bytes and a flood that tries
 * to exceed it. An operation that such a caller may call is in the table below, or named as one that keeps nothing.
 */
let app: TestApp;
beforeAll(async () => {
  const page = `<h1>${"x".repeat(90)}</h1>`.repeat(500);
  app = await testApp({ REGISTRATION: "open" }, savedSites({ "https://long.example.com/": page }));
  shortenDemo(app);
});
beforeEach(() => app.setTime(noonMs));
afterAll(() => app.close());

const kilobyte = 1024;
let addresses = 0;
const from = (): string => `10.9.${Math.floor(++addresses / 250)}.${addresses % 250}`;

interface Rows {
  readonly bound: RowsBound;
  readonly by: readonly OperationName[];
  /** Make rows by the API that are as long as it lets them be; each returns when the row is stored. */
  readonly longest: readonly (() => Promise<unknown>)[];
}

const wide = "😀";
const startLongest = () =>
  app.send("POST", "/agent-sessions/start", {
    from: from(),
    body: {
      client_type: wide.repeat(64),
      client_name: wide.repeat(200),
      client_instance_id: wide.repeat(200),
      label: wide.repeat(200),
      callback_url: `http://127.0.0.1/${wide.repeat(1_980)}`,
      metadata: { text: "x".repeat(4 * kilobyte - 11) },
    },
  });
const authorizeLongest = async () => {
  const id = await registered(app, { client_name: wide.repeat(200) });
  return app.send("GET", authorizePath(id, newPkce(), { state: "漢".repeat(4_096) }), {
    from: from(),
  });
};
const registerLongest = () => {
  const redirect = loopback.padEnd(500, "x");
  return register(app, { client_name: wide.repeat(200), redirect_uris: Array(5).fill(redirect) });
};
const scanLongest = () =>
  app.send("POST", "/website-scans", { from: from(), body: { url: "long.example.com" } });

/** The rows that strangers can make in control.db: every entry of `strangersBounds`. */
const rows: Readonly<Record<keyof typeof strangersBounds, Rows>> = {
  oauthClients: {
    bound: strangersBounds.oauthClients,
    by: ["POST /oauth/register"],
    longest: [registerLongest],
  },
  authRequests: {
    bound: strangersBounds.authRequests,
    by: ["POST /agent-sessions/start", "GET /oauth/authorize"],
    longest: [startLongest, authorizeLongest],
  },
  demoSessions: {
    bound: strangersBounds.demoSessions,
    by: ["POST /demo/session"],
    longest: [() => beginDemo(app)],
  },
  scans: { bound: strangersBounds.scans, by: ["POST /website-scans"], longest: [scanLongest] },
};

describe.each(Object.entries(rows))("%s", (_, { bound, longest }) => {
  const db = () => app.deps.control.db;
  const bytes = () => strangersBytes(db(), bound);
  const idOf = (order: string) =>
    db().get<[string]>(sql`
      select id from ${bound.table} where ${bound.isStrangers}
      order by created_at ${sql.raw(order)}, rowid ${sql.raw(order)} limit 1`)?.[0];
  const clear = () => app.deps.control.write(() => db().delete(bound.table).run());

  test.each(longest.map((make, at) => [at, make] as const))(
    "a row has its bytes, %#",
    async (at) => {
      clear();
      await longest[at]?.();
      expect(bytes()).toBeGreaterThan(500);
      expect(bytes()).toBeLessThanOrEqual(bound.rowBytesMax);
    },
  );

  test("all have theirs: the oldest make way for the newest", async () => {
    clear();
    await longest[0]?.();
    const count = Math.ceil(bound.bytesMax / bytes()) + 10;
    const columns = db()
      .all<{ name: string }>(sql`select name from pragma_table_info(${tableName(bound)})`)
      .map((row) => (Array.isArray(row) ? String(row[0]) : row.name));
    const others = columns.filter((name) => !["id", "refresh_hash"].includes(name));
    const list = sql.raw(others.join(", "));
    app.deps.control.write(() =>
      db().run(sql`
        with recursive number(n) as (select 1 union all select n + 1 from number where n < ${count})
        insert into ${bound.table} (id, ${list})
        select 'x_' || n, ${list} from ${bound.table}, number`),
    );
    expect(bytes()).toBeGreaterThan(bound.bytesMax);
    // The server counts bytes again when rows of the greatest length could have filled what was left.
    const oldest = idOf("asc");
    app.setTime(noonMs + dayMs);
    app.deps.control.write(() => {
      for (let made = 0; made < bound.bytesMax / bound.rowBytesMax; made++) {
        app.deps.control.room.make(db(), bound);
      }
    });
    await longest[0]?.();
    expect(bytes()).toBeLessThanOrEqual(bound.bytesMax);
    expect(idOf("asc")).not.toBe(oldest);
    expect(String(idOf("desc"))).not.toStartWith("x_");
  });
});

const tableName = ({ table }: RowsBound): string =>
  String(Reflect.get(table, Symbol.for("drizzle:Name")));

test.each(kept.map((one) => [one.what, one] as const))("%s", async (_, { flood, bytesMax }) => {
  const bytes = await flood(app, from());
  expect(bytes).toBeGreaterThan(0);
  expect(bytes).toBeLessThanOrEqual(bytesMax);
});

/**
 * Rows of a project or of an account that its public token, a link or a code makes. They count towards what the
 * account may have: events a month, bytes of recordings, sessions. Their bounds have tests of their own.
 */
const ofAccounts: Readonly<Partial<Record<OperationName, string>>> = {
  "POST /track": "events of a month (src/ingest/limits.test.ts), automated agents (writer.test.ts)",
  "POST /track/batch": "as /track",
  "POST /identify": "ids and traits (identities.test.ts)",
  "POST /replays/ingest/start": "bytes of recordings (features/replays)",
  "POST /replays/ingest/{id}/segments": "bytes of recordings (features/replays)",
  "POST /replays/ingest/{id}/finish": "bytes of recordings (features/replays)",
  "POST /agent-sessions/exchange": "sessions that a person approved (exchange.test.ts)",
  "POST /agent-sessions/refresh": "access tokens of a session (sessions.test.ts)",
  "POST /oauth/token": "access tokens of a session (oauth-refresh.test.ts)",
  "POST /auth/forgot": "a link and three messages an hour for each log-in (password-links.test.ts)",
  "POST /webhooks/stripe": "events that the payment provider has signed",
};
const keepsNothing: readonly OperationName[] = [
  "POST /agent-sessions/poll",
  "POST /auth/logout",
  // Without a password nobody has a log-in token, so the server never looks at one.
  "POST /auth/login/second",
  "POST /auth/reset",
  // The browser keeps the state of a sign-in; who comes back is a person whom the provider has let in.
  "GET /auth/oidc",
  "GET /auth/oidc/callback",
  "POST /oauth/revoke",
  "POST /unsubscribe/{token}",
  "POST /confirm/{token}",
];

test("every operation without an account is in the table, or keeps nothing", () => {
  const listed = new Set<string>([
    ...Object.values(rows).flatMap(({ by }) => by),
    ...kept.flatMap(({ by }) => by),
    ...Object.keys(ofAccounts),
    ...keepsNothing,
  ]);
  const isStrangers = (access: string) => ["none", "token", "optional"].includes(access);
  const strangers = Object.entries(endpointIndex)
    .filter(([, { access }]) => isStrangers(access))
    .map(([name]) => name);
  const writing = strangers.filter((name) => !name.startsWith("GET "));
  expect(writing.filter((name) => !listed.has(name))).toEqual([]);
  expect([...listed].filter((name) => !strangers.includes(name))).toEqual([]);
});
