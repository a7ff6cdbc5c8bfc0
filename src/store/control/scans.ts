/*
 * Scans of nobody are 10,000 at most.
 * Decision: each hour all but the newest 10,000 scans without an account are forgotten, and those of them that failed.
 * Because: a preview takes 6 KB for 30 days, and whoever has many addresses can have any number made of one site's
 * names; a failed one nobody can read, since its token was not given.
 * Cost: under such a flood the tokens of others end earlier.
 * Revisit: if an honest server reaches it.
 */

import {
  and,
  count,
  desc,
  eq,
  gt,
  gte,
  inArray,
  isNotNull,
  isNull,
  lt,
  lte,
  ne,
  or,
} from "drizzle-orm";
import { newId } from "../../lib/ids";
import type { ControlConnection } from "./database";
import { type ScanRow, websiteScan } from "./scan-tables";
import { strangersBounds } from "./strangers";

export type NewScan = Pick<
  ScanRow,
  "accountId" | "projectId" | "mode" | "normalizedUrl" | "hostname" | "resumeHash" | "createdAtMs"
>;
export type ScanChange = Partial<
  Pick<
    ScanRow,
    "accountId" | "projectId" | "status" | "mode" | "preview" | "result" | "snippet" | "fullAtMs"
  >
>;

/** Website scans: made, changed as they go on, and forgotten. */
export function scanQueries(control: ControlConnection) {
  const { db } = control;
  const byId = (id: string): ScanRow | undefined =>
    db.select().from(websiteScan).where(eq(websiteScan.id, id)).get();
  const fullSince = (accountId: string, sinceMs: number): number =>
    db
      .select({ scans: count() })
      .from(websiteScan)
      .where(
        and(
          eq(websiteScan.accountId, accountId),
          gte(websiteScan.fullAtMs, sinceMs),
          ne(websiteScan.status, "failed"),
        ),
      )
      .get()?.scans ?? 0;

  return {
    ...scanMaintenance(control),
    byId,
    fullSince,

    add: (made: NewScan): ScanRow =>
      control.write(() => {
        if (made.accountId === null) control.room.make(db, strangersBounds.scans);
        return db
          .insert(websiteScan)
          .values({
            ...made,
            id: newId("scan"),
            status: "pending",
            fullAtMs: made.mode === "full" ? made.createdAtMs : null,
          })
          .returning()
          .get();
      }),

    /** Changes a scan. Returns undefined when it was deleted meanwhile, as with its account. */
    change: (id: string, change: ScanChange): ScanRow | undefined =>
      control.write(() =>
        db.update(websiteScan).set(change).where(eq(websiteScan.id, id)).returning().get(),
      ),

    /** The newest anonymous preview of a host that nobody has taken over, if it is young enough. */
    previewOfHost: (hostname: string, newerThanMs: number): ScanRow | undefined =>
      db
        .select()
        .from(websiteScan)
        .where(
          and(
            eq(websiteScan.hostname, hostname),
            gt(websiteScan.createdAtMs, newerThanMs),
            eq(websiteScan.mode, "anonymous_preview"),
            eq(websiteScan.status, "succeeded"),
            isNull(websiteScan.accountId),
          ),
        )
        .orderBy(desc(websiteScan.createdAtMs), desc(websiteScan.id))
        .get(),
  };
}

export interface ForgottenScans {
  readonly anonymousBeforeMs: number;
  readonly anonymousMax: number;
  readonly ownedBeforeMs: number;
}

/** The jobs on scans that nobody asks for now. */
function scanMaintenance(control: ControlConnection) {
  const { db } = control;
  const isUnfinished = inArray(websiteScan.status, ["pending", "running"]);
  return {
    /** Ends the scans that a stop interrupted: one that has a preview keeps it, any other has failed. */
    endUnfinished: (): void => {
      const unfinished = db
        .select({ id: websiteScan.id })
        .from(websiteScan)
        .where(isUnfinished)
        .limit(1)
        .get();
      if (unfinished === undefined) return;
      control.write(() => {
        const hasPreview = isNotNull(websiteScan.preview);
        // The account that was making it full owns it only once that has succeeded.
        db.update(websiteScan)
          .set({ accountId: null, projectId: null })
          .where(and(isUnfinished, hasPreview, eq(websiteScan.mode, "anonymous_preview")))
          .run();
        db.update(websiteScan)
          .set({ status: "succeeded", fullAtMs: null })
          .where(and(isUnfinished, hasPreview))
          .run();
        db.update(websiteScan).set({ status: "failed" }).where(isUnfinished).run();
      });
    },

    /**
     * Deletes old scans. Those of nobody and those of accounts are kept for times of their own. As anybody can make
     * scans without an account, only the newest of these are kept; failed ones among them are deleted, as nobody can
     * read them.
     */
    forget: ({ anonymousBeforeMs, anonymousMax, ownedBeforeMs }: ForgottenScans): void => {
      const isNobodys = isNull(websiteScan.accountId);
      const surplus = db
        .select({ createdAtMs: websiteScan.createdAtMs })
        .from(websiteScan)
        .where(isNobodys)
        .orderBy(desc(websiteScan.createdAtMs))
        .limit(1)
        .offset(anonymousMax)
        .get();
      const { createdAtMs } = websiteScan;
      const isOld = or(
        lt(createdAtMs, anonymousBeforeMs),
        lte(createdAtMs, surplus?.createdAtMs ?? 0),
        eq(websiteScan.status, "failed"),
      );
      const old = or(and(isNobodys, isOld), lt(createdAtMs, ownedBeforeMs));
      if (db.select({ id: websiteScan.id }).from(websiteScan).where(old).limit(1).get()) {
        control.write(() => {
          db.delete(websiteScan).where(old).run();
        });
      }
    },
  };
}
