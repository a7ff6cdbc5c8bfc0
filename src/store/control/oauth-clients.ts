/*
 * Registered clients come and go.
 * Decision: clients that nobody has approved go after a day, or before when they take too much room
 * (`strangers.ts`); all others 90 days after they were last used.
 * Because: anybody may register, a client that was never approved holds nothing, and clients that register with every
 * start leave the earlier ones behind.
 * Cost: who takes longer than a day to approve has its client register again.
 */

import { and, eq, isNull, lt, or } from "drizzle-orm";
import { clock, dayMs } from "../../lib/clock";
import { newId } from "../../lib/ids";
import type { ControlConnection } from "./database";
import { type OauthClientRow, oauthClient } from "./oauth-tables";
import { strangersBounds } from "./strangers";

const unapprovedClientMs = 1 * dayMs;
const unusedClientMs = 90 * dayMs;

export function registerClient(
  control: ControlConnection,
  made: Pick<OauthClientRow, "name" | "redirectUris">,
): OauthClientRow {
  const nowMs = clock.nowMs();
  return control.write(() => {
    control.room.make(control.db, strangersBounds.oauthClients);
    return control.db
      .insert(oauthClient)
      .values({ ...made, id: newId("occ"), createdAtMs: nowMs, lastUsedAtMs: nowMs })
      .returning()
      .get();
  });
}

/** One whose time has not run out, whether it was removed already or not. */
export function clientById({ db }: ControlConnection, id: string): OauthClientRow | null {
  const found = db.select().from(oauthClient).where(eq(oauthClient.id, id)).get();
  return found === undefined || endsAtMs(found) <= clock.nowMs() ? null : found;
}

const endsAtMs = ({ approvedAtMs, createdAtMs, lastUsedAtMs }: OauthClientRow): number =>
  approvedAtMs === null ? createdAtMs + unapprovedClientMs : lastUsedAtMs + unusedClientMs;

/** Nothing happens to a client that is known by its document. Runs within a transaction, as the next one does. */
export function noteApproved({ db }: ControlConnection, id: string): void {
  const nowMs = clock.nowMs();
  db.update(oauthClient)
    .set({ approvedAtMs: nowMs, lastUsedAtMs: nowMs })
    .where(eq(oauthClient.id, id))
    .run();
}

export function noteUse({ db }: ControlConnection, id: string): void {
  db.update(oauthClient).set({ lastUsedAtMs: clock.nowMs() }).where(eq(oauthClient.id, id)).run();
}

export function forgetClients(control: ControlConnection, nowMs: number): void {
  const isStale = or(
    and(isNull(oauthClient.approvedAtMs), lt(oauthClient.createdAtMs, nowMs - unapprovedClientMs)),
    lt(oauthClient.lastUsedAtMs, nowMs - unusedClientMs),
  );
  control.write(() => control.db.delete(oauthClient).where(isStale).run());
}
