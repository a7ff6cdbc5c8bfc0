import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { eq } from "drizzle-orm";
import type { Rights } from "../../domain/plan";
import { clock } from "../../lib/clock";
import { changeRights } from "./accounts";
import { type Control, openControl } from "./control";
import { account } from "./tables";

let dataDir = "";
let control: Control;
let nowMs = 1_000;
let restoreClock: () => void;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), "sightline-accounts-"));
  control = openControl({ dataDir, identitySecret: null });
  restoreClock = clock.replace(() => nowMs);
  control.db
    .insert(account)
    .values({
      ...{ id: "acc_a", createdAtMs: 0 },
      ...{ tier: "free", complimentary: false },
    })
    .run();
});
afterEach(() => {
  restoreClock();
  control.close();
  rmSync(dataDir, { recursive: true, force: true });
});

function lostAfter(atMs: number, rights: Partial<Rights>): number | null | undefined {
  nowMs = atMs;
  return changeRights(control, "acc_a", rights)?.lostProAtMs;
}

test("what an account lost is noted when it has less than before, and only then", () => {
  expect(lostAfter(1, { tier: "free" })).toBeNull();
  expect(lostAfter(2, { tier: "pro" })).toBeNull();
  expect(lostAfter(3, { tier: "free" })).toBe(3);
  // It goes on counting from there.
  expect(lostAfter(4, { tier: "free" })).toBe(3);
  expect(lostAfter(5, { complimentary: true })).toBeNull();
  expect(lostAfter(6, { tier: "pro" })).toBeNull();
  expect(lostAfter(7, { complimentary: false })).toBeNull();
  expect(lostAfter(8, { tier: "free", complimentary: true })).toBeNull();
  expect(lostAfter(9, { complimentary: false })).toBe(9);
});

test("the hot path sees it at once", () => {
  expect(control.tierOf("acc_a")).toBe("free");
  changeRights(control, "acc_a", { tier: "pro" });
  expect(control.tierOf("acc_a")).toBe("pro");
});

test("an account that is unknown or deleted is left alone", () => {
  expect(changeRights(control, "acc_unknown", { tier: "pro" })).toBeUndefined();
  control.db.update(account).set({ deletedAtMs: 1 }).where(eq(account.id, "acc_a")).run();
  expect(changeRights(control, "acc_a", { tier: "pro" })).toBeUndefined();
  expect(control.db.select().from(account).get()?.tier).toBe("free");
});
