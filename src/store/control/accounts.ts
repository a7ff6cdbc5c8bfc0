import { and, eq, isNull } from "drizzle-orm";
import { effectiveTier, type Rights } from "../../domain/plan";
import { clock } from "../../lib/clock";
import type { Control } from "./control";
import { type AccountRow, account } from "./tables";

/**
 * The one way in which a living account gets other rights. It notes since when there are fewer, from which retention
 * counts its days of grace. Undefined when there is no such account.
 */
export const changeRights = (
  control: Control,
  accountId: string,
  rights: Partial<Rights>,
): AccountRow | undefined =>
  control.write(() => {
    const { db } = control;
    const alive = and(eq(account.id, accountId), isNull(account.deletedAtMs));
    const before = db.select().from(account).where(alive).get();
    if (before === undefined) return undefined;
    const lostProAtMs = lostProAt(before, { ...before, ...rights });
    return db
      .update(account)
      .set({ ...rights, lostProAtMs })
      .where(alive)
      .returning()
      .get();
  });

function lostProAt(before: AccountRow, after: Rights): number | null {
  if (effectiveTier(after) === "pro") return null;
  return effectiveTier(before) === "pro" ? clock.nowMs() : before.lostProAtMs;
}
