import { asc, count, eq } from "drizzle-orm";
import { viewsPerProjectMax } from "../../domain/share";
import { clock } from "../../lib/clock";
import { newId } from "../../lib/ids";
import type { ControlConnection } from "./database";
import { savedView, type ViewRow } from "./share-tables";
import { requireRoom } from "./shares";

/** Saved views of projects. */
export function viewQueries(control: ControlConnection) {
  const { db } = control;
  return {
    byId: (id: string): ViewRow | undefined =>
      db.select().from(savedView).where(eq(savedView.id, id)).get(),
    ofProject: (projectId: string): readonly ViewRow[] =>
      db
        .select()
        .from(savedView)
        .where(eq(savedView.projectId, projectId))
        .orderBy(asc(savedView.createdAtMs), asc(savedView.id))
        .all(),
    add: (projectId: string, made: Pick<ViewRow, "name" | "address">): ViewRow =>
      control.write(() => {
        const views = db
          .select({ rows: count() })
          .from(savedView)
          .where(eq(savedView.projectId, projectId));
        requireRoom(views.get()?.rows ?? 0, viewsPerProjectMax, "views");
        const nowMs = clock.nowMs();
        const times = { createdAtMs: nowMs, updatedAtMs: nowMs };
        const row = { id: newId("view"), projectId, ...made, ...times };
        return db.insert(savedView).values(row).returning().get();
      }),
    /** Changes a view. Returns undefined when it was deleted meanwhile. */
    change: (id: string, change: Partial<Pick<ViewRow, "name" | "address">>): ViewRow | undefined =>
      control.write(() =>
        db
          .update(savedView)
          .set({ ...change, updatedAtMs: clock.nowMs() })
          .where(eq(savedView.id, id))
          .returning()
          .get(),
      ),
    drop: (id: string): void =>
      control.write(() => {
        db.delete(savedView).where(eq(savedView.id, id)).run();
      }),
  };
}
