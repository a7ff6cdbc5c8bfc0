import { and, count, desc, eq, inArray, lt, ne, or, sql } from "drizzle-orm";
import { ApiError } from "../../domain/errors";
import {
  checkedLapsesMs,
  type ImportState,
  importsPerProjectMax,
  uploadLapsesMs,
} from "../../domain/import";
import { hasStoredNone } from "../../domain/import-report";
import { clock } from "../../lib/clock";
import { newId } from "../../lib/ids";
import type { ControlConnection } from "./database";
import { dataImport, type ImportRow } from "./import-tables";
import { requireRoom } from "./shares";
import { project } from "./tables";

export type NewImport = Pick<
  ImportRow,
  "projectId" | "kind" | "name" | "size" | "sha256" | "timezone" | "overlap" | "older"
>;
export type ImportUpdate = Partial<
  Pick<
    ImportRow,
    | "kind"
    | "state"
    | "received"
    | "timezone"
    | "overlap"
    | "older"
    | "report"
    | "error"
    | "committedAtMs"
    | "firstEventMs"
    | "contextAtMs"
    | "isRemoving"
  >
>;

/** The imports of projects. */
export function importQueries(control: ControlConnection) {
  const { db } = control;
  return {
    ...waitingImports(control),
    byId: (id: string): ImportRow | undefined =>
      db.select().from(dataImport).where(eq(dataImport.id, id)).get(),
    /** Newest first. */
    ofProject: (projectId: string): readonly ImportRow[] =>
      db
        .select()
        .from(dataImport)
        .where(eq(dataImport.projectId, projectId))
        .orderBy(desc(dataImport.createdAtMs), desc(sql`rowid`))
        .all(),
    /** Adds an import. Throws IMPORT_EXISTS where the project has one of the same bytes. */
    add: (made: NewImport): ImportRow =>
      control.write(() => {
        const ofProject = eq(dataImport.projectId, made.projectId);
        const rows = db.select({ rows: count() }).from(dataImport).where(ofProject).get();
        requireRoom(rows?.rows ?? 0, importsPerProjectMax, "imports");
        const isSame = and(ofProject, eq(dataImport.sha256, made.sha256));
        const same = db
          .select()
          .from(dataImport)
          .where(and(isSame, ne(dataImport.state, "failed")))
          .get();
        if (same !== undefined) throw importExists(same);
        const nowMs = clock.nowMs();
        const row = { ...made, id: newId("imp"), state: "uploading" as const };
        return db
          .insert(dataImport)
          .values({ ...row, createdAtMs: nowMs, changedAtMs: nowMs })
          .returning()
          .get();
      }),
    /** Changes an import. Returns undefined where it was deleted meanwhile. */
    change: (id: string, change: ImportUpdate): ImportRow | undefined =>
      control.write(() =>
        db
          .update(dataImport)
          .set({ ...change, changedAtMs: clock.nowMs() })
          .where(eq(dataImport.id, id))
          .returning()
          .get(),
      ),
    drop: (id: string): void => {
      control.write(() => db.delete(dataImport).where(eq(dataImport.id, id)).run());
    },
  };
}

/** The imports of all projects by what is left to do with them. */
function waitingImports({ db }: ControlConnection) {
  const inState = (...states: readonly ImportState[]) => inArray(dataImport.state, [...states]);
  return {
    /** Those at which something was to be done when the server stopped, oldest first. */
    underWay: (): readonly ImportRow[] =>
      db
        .select()
        .from(dataImport)
        .where(inState("checking", "committing"))
        .orderBy(dataImport.changedAtMs)
        .all(),
    /** Tells whether an import of a project is being stored or removed. */
    isChanging: (projectId: string): boolean => {
      const changes = or(inState("committing"), eq(dataImport.isRemoving, true));
      const ofProject = and(eq(dataImport.projectId, projectId), changes);
      return db.select({ id: dataImport.id }).from(dataImport).where(ofProject).get() !== undefined;
    },
    /** Those whose removal was interrupted. */
    removing: (): readonly ImportRow[] =>
      db.select().from(dataImport).where(eq(dataImport.isRemoving, true)).all(),
    /** Those whose file nobody has gone on with for too long. */
    lapsed: (nowMs: number): readonly ImportRow[] => [
      ...db
        .select()
        .from(dataImport)
        .where(and(inState("uploading"), lt(dataImport.changedAtMs, nowMs - uploadLapsesMs)))
        .all(),
      ...db
        .select()
        .from(dataImport)
        .where(
          and(inState("checked", "failed"), lt(dataImport.changedAtMs, nowMs - checkedLapsesMs)),
        )
        .all(),
    ],
    /** The account to which an import's project belongs, also while that is deleted. */
    accountOf: (id: string): string | undefined =>
      db
        .select({ accountId: project.accountId })
        .from(dataImport)
        .innerJoin(project, eq(project.id, dataImport.projectId))
        .where(eq(dataImport.id, id))
        .get()?.accountId,
    /** Those that still have a file. */
    idsWithFile: (): ReadonlySet<string> =>
      new Set(
        db
          .select({ id: dataImport.id })
          .from(dataImport)
          .where(ne(dataImport.state, "done"))
          .all()
          .map(({ id }) => id),
      ),
  };
}

function importExists({ id, state, report }: ImportRow): ApiError {
  const isEmpty = state === "done" && report !== null && hasStoredNone(JSON.parse(report).rows);
  const text = isEmpty
    ? "The project has an import of the same file, which stored 0 rows. To import the file again, first remove " +
      `that import: DELETE /imports/${id}.`
    : "The project has an import of the same file. Go on with that one, or delete it first.";
  return new ApiError("IMPORT_EXISTS", text, { import: id });
}
