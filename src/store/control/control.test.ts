import type { Database } from "bun:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ownerOf } from "../../../test/support/app/owner";
import { ApiError } from "../../domain/errors";
import { newId, newToken } from "../../lib/ids";
import { replaceLogWriter } from "../../lib/log";
import { addAccount as addOwned } from "./accounts";
import { type Control, openControl } from "./control";
import { isDuplicate } from "./database";
import { apiKey, cookieSession } from "./member-tables";
import { account, project, projectReads } from "./tables";

let dataDir = "";
let control: Control;
const open = (identitySecret: string | null = null) => openControl({ dataDir, identitySecret });
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), "sightline-control-"));
  control = open();
});
afterEach(() => {
  control.close();
  rmSync(dataDir, { recursive: true, force: true });
});

const addAccount = (email = "a@example.com", tier: "free" | "pro" = "free"): string =>
  addOwned(control, { email, passwordHash: "", tier }).account.id;

const addProject = (
  accountId: string,
  name: string,
  deletedAtMs: number | null = null,
  primaryDomain = `https://${name}.example.com`,
) => {
  const row = {
    id: newId("proj"),
    accountId,
    name,
    token: newToken("aat"),
    allowedOrigins: "*",
    primaryDomain,
    createdAtMs: 0,
    deletedAtMs,
  };
  control.write(() => {
    control.db.insert(project).values(row).run();
  });
  return row;
};

const duplicates = (work: () => unknown): boolean => {
  try {
    work();
    return false;
  } catch (error) {
    return isDuplicate(error);
  }
};

describe("what the database itself keeps unique", () => {
  test("an address, a key and its account, a project's name and origin among live ones", () => {
    const id = addAccount();
    const other = addAccount("b@example.com");
    expect(() => addAccount()).toThrow("already exists");

    const addKey = (accountId: string, hash: string) => {
      const row = { ...ownerOf(control, accountId), hash, prefix: "", createdAtMs: 0 };
      control.write(() => control.db.insert(apiKey).values(row).run());
    };
    addKey(id, "hash");
    expect(duplicates(() => addKey(id, "another"))).toBe(true);
    expect(duplicates(() => addKey(other, "hash"))).toBe(true);

    addProject(id, "shop");
    addProject(other, "shop");
    expect(duplicates(() => addProject(id, "shop", null, "https://other.example"))).toBe(true);
    expect(duplicates(() => addProject(id, "store", null, "https://shop.example.com"))).toBe(true);
    addProject(id, "old", 1);
    addProject(id, "old", 2);
    addProject(id, "old");
  });
});

describe("the directory of projects that receive events", () => {
  test("knows live projects by their token, and nothing else", () => {
    const id = addAccount();
    const live = addProject(id, "live");
    const deleted = addProject(id, "deleted", 1);
    const { id: projectId, accountId, allowedOrigins } = live;
    expect(control.projectByToken(live.token)).toEqual({
      id: projectId,
      accountId,
      allowedOrigins,
      identify: "any",
      membership: null,
      exclusions: null,
      blocked: null,
    });
    expect(control.projectByToken(deleted.token)).toBeUndefined();
    expect(control.projectByToken(newToken("aat"))).toBeUndefined();
    expect(control.projectByToken("")).toBeUndefined();
    expect(control.projectByToken(`${live.token} `)).toBeUndefined();
  });

  test("hears of every change", () => {
    const id = addAccount();
    const { token } = addProject(id, "shop");
    expect(control.projectByToken(token)?.allowedOrigins).toBe("*");
    expect(control.tierOf(id)).toBe("free");
    const change = (values: Partial<typeof project.$inferInsert>) =>
      control.write(() => control.db.update(project).set(values).run());
    change({ allowedOrigins: "https://a.example" });
    expect(control.projectByToken(token)?.allowedOrigins).toBe("https://a.example");
    control.write(() => control.db.update(account).set({ complimentary: true }).run());
    expect(control.tierOf(id)).toBe("pro");
    change({ deletedAtMs: 1 });
    expect(control.projectByToken(token)).toBeUndefined();
  });

  test("a change that failed is none", () => {
    const id = addAccount();
    const { token } = addProject(id, "shop");
    const failing = () =>
      control.write(() => {
        control.db.update(project).set({ allowedOrigins: "https://a.example" }).run();
        throw new ApiError("NOT_FOUND", "no");
      });
    expect(failing).toThrow("no");
    expect(control.projectByToken(token)?.allowedOrigins).toBe("*");
  });
});

describe("counted reads", () => {
  test("add up by month and by date", () => {
    const accountId = addAccount();
    const { id } = addProject(accountId, "shop");
    const { readCounts } = control;
    readCounts.addToMonth(accountId, "2026-01", 2);
    readCounts.addToMonth(accountId, "2026-01", 3);
    readCounts.addToMonth(accountId, "2026-02", 1);
    readCounts.addToDate(id, "2026-01-31", 4);
    readCounts.addToDate(id, "2026-01-31", 1);
    readCounts.addToDate(id, "2026-02-01", 1);
    expect(readCounts.ofMonth(accountId, "2026-01")).toBe(5);
    expect(readCounts.ofMonth(accountId, "2025-12")).toBe(0);
    expect(control.projects.byId(id)?.totalReads).toBe(6);
    expect([...readCounts.byDate(id, "2026-02-01")]).toEqual([["2026-02-01", 1]]);
  });

  test("of what is gone there is nothing to count", () => {
    control.readCounts.addToMonth("acc_gone", "2026-01", 1);
    control.readCounts.addToDate("proj_gone", "2026-01-01", 1);
    expect(control.db.select().from(projectReads).all()).toEqual([]);
  });
});

describe("what timed work asks", () => {
  test("live projects with the days that their account's plan keeps", () => {
    const free = addProject(addAccount(), "a");
    const pro = addProject(addAccount("b@example.com", "pro"), "b");
    addProject(free.accountId, "deleted", 1);
    const found = new Map(
      control.lifecycle
        .projectsWithRetention(0)
        .map(({ id, retentionDays }) => [id, retentionDays]),
    );
    expect(found).toEqual(
      new Map([
        [free.id, 90],
        [pro.id, 365],
      ]),
    );
  });

  test("deleted projects, the longest deleted first, are erased with their counts; live ones never", () => {
    const id = addAccount();
    const late = addProject(id, "late", 20);
    const early = addProject(id, "early", 10);
    const live = addProject(id, "live");
    control.readCounts.addToDate(early.id, "2026-01-01", 1);
    const { lifecycle } = control;
    expect(lifecycle.projectsDeletedBefore(20, 10)).toEqual([early.id]);
    expect(lifecycle.projectsDeletedBefore(21, 10)).toEqual([early.id, late.id]);
    expect(lifecycle.projectsDeletedBefore(21, 1)).toEqual([early.id]);
    lifecycle.eraseProject(early.id);
    lifecycle.eraseProject(live.id);
    expect(lifecycle.projectsDeletedBefore(21, 10)).toEqual([late.id]);
    expect(control.projects.byId(live.id)?.name).toBe("live");
    expect(control.db.select().from(projectReads).all()).toEqual([]);
  });

  test("browser sessions end with their time", () => {
    const { accountId, personId } = ownerOf(control, addAccount());
    control.write(() => {
      for (const expiresAtMs of [10, 11]) {
        const row = { hash: `session${expiresAtMs}`, personId, createdAtMs: 0, expiresAtMs };
        control.db.insert(cookieSession).values(row).run();
      }
    });
    expect(control.credentials.holderOfSession("session10", 9)?.account.id).toBe(accountId);
    expect(control.credentials.holderOfSession("session10", 10)).toBeUndefined();
    control.lifecycle.dropExpiredSessions(11);
    const left = control.db.select({ hash: cookieSession.hash }).from(cookieSession).all();
    expect(left).toEqual([{ hash: "session11" }]);
  });
});

test("the identity secret is made once and kept; a configured one is used and not kept", () => {
  const made = control.identitySecret;
  expect(made).toMatch(/^[0-9a-f]{64}$/);
  control.close();
  control = open("of the operator");
  expect(control.identitySecret).toBe("of the operator");
  control.close();
  control = open();
  expect(control.identitySecret).toBe(made);
});

describe("while the disk is full", () => {
  /** SQLite gives the same error when a file may not grow. */
  const fill = () => {
    const { $client } = control.db as unknown as { $client: Database };
    $client.run("pragma max_page_count = 1");
    return () => $client.run("pragma max_page_count = 1000000");
  };
  const accounts = () => control.db.select({ id: account.id }).from(account).all().length;
  const addMany = () =>
    control.write(() => {
      for (let n = 0; n < 100; n++) addAccount(`${n}@example.com`);
    });

  test("writes say so and change nothing, reads go on, and then it works again", () => {
    const id = addAccount();
    const { token } = addProject(id, "shop");
    const makeRoom = fill();
    const lines: Record<string, unknown>[] = [];
    const restoreLog = replaceLogWriter((line) => void lines.push(JSON.parse(line)));
    expect(addMany).toThrow(expect.objectContaining({ code: "UNAVAILABLE" }));
    restoreLog();
    expect(lines).toMatchObject([{ level: "error", cause: "SQLITE_FULL" }]);
    expect(control.projectByToken(token)?.accountId).toBe(id);
    expect(accounts()).toBe(1);
    makeRoom();
    addMany();
    expect(accounts()).toBe(101);
  });
});

test("another process may write beside this one, which sees it at once", () => {
  const id = addAccount();
  const other = open();
  other.write(() => {
    const row = { ...ownerOf(control, id), hash: "hash", prefix: "", createdAtMs: 0 };
    other.db.insert(apiKey).values(row).run();
  });
  other.close();
  expect(control.credentials.holderOfKey("hash")?.account.id).toBe(id);
});
