import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { scopes } from "../../src/domain/scope";
import { minuteMs } from "../../src/lib/clock";
import { changeRights } from "../../src/store/control/accounts";
import { noonMs, type TestApp, testApp } from "../support/app/app";
import {
  answerTo,
  type Credential,
  credentialsOf,
  possessionsOf,
  type Row,
  refusalOf,
  rowsOf,
  signUp,
  takesProject,
} from "../support/app/matrix";
import { takesQuery } from "../support/app/operations";

/** Every operation of the endpoint index, as far as it is mounted, for everybody who may call. */
let app: TestApp;
let rows: readonly Row[];
let credentials: readonly Credential[];
let owned: Readonly<Record<string, string>>;
beforeAll(async () => {
  app = await testApp({ DEFAULT_TIER: "free", REGISTRATION: "open" });
  rows = rowsOf(app).filter(({ isMounted }) => isMounted);
  owned = await possessionsOf(app);
  credentials = await credentialsOf(app);
});
afterAll(() => app.close());

/** The path with something in its braces that nobody has. */
const emptyPath = ({ path }: Row): string => path.replace(/\{\w+\}/, "nothing");
const isGate =
  /^(401 (AUTH_REQUIRED|INVALID_TOKEN)|403 (FORBIDDEN|DEMO_READ_ONLY|PRO_REQUIRED)|40[13]$)/;
const noJson = ({ method }: Row) => (method === "GET" ? {} : { body: "{" });

/** Each row in a minute of its own, so that no limit is reached. */
function nextMinute(at: number): void {
  app.setTime(noonMs + (at % 30) * minuteMs);
}

test("the index has all its operations", () => {
  const missing = rowsOf(app).filter(({ isMounted }) => !isMounted);
  expect(missing.map(({ name }) => name)).toEqual([]);
  expect(rows.length).toBeGreaterThan(60);
});

describe("who may do what", () => {
  test("is what the index says, for each credential and operation", async () => {
    const wrong: string[] = [];
    for (const [at, row] of rows.entries()) {
      if (row.access === "none" || row.access === "token") continue;
      nextMinute(at);
      for (const who of credentials) {
        const expected = refusalOf(row, who);
        const got = await answerTo(app, row, emptyPath(row), {
          headers: who.headers,
          ...noJson(row),
        });
        const isAsSaid = expected === null ? !isGate.test(got) : got === expected;
        if (!isAsSaid) wrong.push(`${row.name} for ${who.name}: ${got}, not ${expected ?? "in"}`);
      }
    }
    expect(wrong).toEqual([]);
  });

  test("does not depend on a credential where the index asks for none", async () => {
    for (const [at, row] of rows.entries()) {
      if (row.access !== "none" && row.access !== "token") continue;
      nextMinute(at);
      const answers = new Set<string>();
      for (const { headers } of credentials) {
        answers.add(await answerTo(app, row, emptyPath(row), { headers, ...noJson(row) }));
      }
      expect([row.name, [...answers].length]).toEqual([row.name, 1]);
    }
  });

  test("has a scope for everything an agent may do, and each scope opens something", () => {
    const opened = new Set(rowsOf(app).map(({ access }) => access));
    // A writing scope includes the reading one, so reading alone need open nothing of its own.
    expect(scopes.filter((scope) => !opened.has(scope))).toEqual([]);
  });
});

describe("what belongs to another account", () => {
  test("is refused by its id with 403, and as a project with 404", async () => {
    const other = await signUp(app, "other@example.com");
    changeRights(app.deps.control, other.id, { complimentary: true });
    const seen: string[] = [];
    for (const [at, row] of rows.entries()) {
      nextMinute(at);
      const { method, path, name, access } = row;
      const prefix = Object.keys(owned).find((one) => path.startsWith(`${one}/{`));
      const named = prefix === undefined ? path : path.replace(/\{\w+\}/, owned[prefix] ?? "");
      const isPerson = access === "cookie" || access === "admin";
      if (isPerson || access === "none" || access === "token") continue;
      if (prefix !== undefined) {
        const got = await answerTo(app, row, named, { headers: other.key, ...fieldsOf(method) });
        expect([name, got]).toEqual([name, "403 FORBIDDEN"]);
        seen.push(name);
      } else if (takesProject(app, row)) {
        const isQuery = takesQuery(name);
        const query = isQuery ? `?project=${owned["/projects"]}` : "";
        const call = { ...(isQuery ? {} : { body: { project: owned["/projects"] } }) };
        const got = await answerTo(app, row, path + query, { headers: other.key, ...call });
        expect([name, got]).toEqual([name, "404 NOT_FOUND"]);
        seen.push(name);
      }
    }
    expect(seen.length).toBeGreaterThan(25);
    expect(seen).toContain("DELETE /projects/{id}");
    expect(seen).toContain("GET /stats");
    // Nothing of it was changed by all this.
    expect(
      (await app.send("GET", `/projects/${owned["/projects"]}`, { key: app.key })).status,
    ).toBe(200);
  });
});

const fieldsOf = (method: string) => (method === "GET" ? {} : { body: {} });
