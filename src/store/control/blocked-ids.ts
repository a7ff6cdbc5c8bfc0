import { count, eq, sql } from "drizzle-orm";
import {
  type BlockedDigests,
  type BlockedIds,
  blockedIdsOf,
  blockedIdsPerErasureMax,
  blockedIdsPerProjectMax,
} from "../../domain/blocked-ids";
import { digestWith, erasedKeyOf, type KnownErasure } from "../../domain/erased-digest";
import { type ApiError, invalidField } from "../../domain/errors";
import { type ControlConnection, prepared } from "./database";
import { blockedId } from "./erasure-tables";
import { project } from "./tables";

/**
 * The ids of erased people that projects have blocked. The table has only keyed digests of them. Ingestion has the
 * digests of a project in memory, some 100 bytes for each, from its first event on.
 */
export function blockedIdQueries(control: ControlConnection & { readonly identitySecret: string }) {
  const { db } = control;
  const key = erasedKeyOf(control.identitySecret);
  const digestOf = digestWith(key);
  const loaded = new Map<string, BlockedIds>();
  const inProject = (projectId: string) => eq(blockedId.projectId, projectId);
  const insert = prepared(() => {
    const [projectId, digest] = [sql.placeholder("projectId"), sql.placeholder("digest")];
    const row = { projectId, digest, erasureId: sql.placeholder("erasureId") };
    return db.insert(blockedId).values(row).onConflictDoNothing().prepare();
  });
  const addDigests = (erasureId: string, projectId: string, digests: readonly string[]): void => {
    for (const digest of digests) insert().run({ projectId, digest, erasureId });
    loaded.delete(projectId);
  };
  /** All of a project; null where it has none. */
  const digestsOf = (projectId: string): BlockedDigests | null => {
    const rows = db.select({ digest: blockedId.digest }).from(blockedId);
    const digests = rows.where(inProject(projectId)).all();
    if (digests.length === 0) return null;
    return { projectId, key, digests: new Set(digests.map(({ digest }) => digest)) };
  };
  return {
    digestsOf,
    /** The ids of a project as ingestion looks them up; null where it has none. */
    ofProject(projectId: string): BlockedIds | null {
      const known = loaded.get(projectId);
      if (known !== undefined) return known;
      const digests = digestsOf(projectId);
      if (digests === null) return null;
      const made = blockedIdsOf(digests);
      loaded.set(projectId, made);
      return made;
    },
    /** Throws MISSING_FIELDS where one of the projects cannot block that many ids. */
    requireRoom(projectIds: readonly string[], ids: readonly string[]): void {
      if (ids.length > blockedIdsPerErasureMax) throw tooMany(ids.length);
      for (const projectId of projectIds) {
        const rows = db.select({ rows: count() }).from(blockedId);
        const known = rows.where(inProject(projectId)).get()?.rows ?? 0;
        if (known + ids.length > blockedIdsPerProjectMax) throw full(known);
      }
    },
    /** Blocks ids in projects. Runs within a change. */
    add(erasureId: string, projectIds: readonly string[], ids: readonly string[]): void {
      for (const projectId of projectIds) {
        const digests = ids.map((id) => digestOf(projectId, id));
        addDigests(erasureId, projectId, digests);
      }
    },
    /** The digests that an erasure has blocked, by project. */
    ofErasure(erasureId: string): NonNullable<KnownErasure["blocked"]> {
      const rows = db.select().from(blockedId).where(eq(blockedId.erasureId, erasureId)).all();
      return [...Map.groupBy(rows, ({ projectId }) => projectId)].map(([projectId, own]) => ({
        projectId,
        ids: own.map(({ digest }) => digest),
      }));
    },
    /** Blocks the ids of an erasure that this file does not know, in the projects that it has. */
    takeOver: ({ id, blocked = [] }: KnownErasure): void =>
      control.write(() => {
        for (const { projectId, ids } of blocked) {
          const isKnown = db.select().from(project).where(eq(project.id, projectId)).get();
          if (isKnown !== undefined) addDigests(id, projectId, ids);
        }
      }),
  };
}

const tooMany = (ids: number): ApiError =>
  invalidField(
    "block",
    `This person has ${ids} ids, and one erasure can block at most ${blockedIdsPerErasureMax}. Leave "block" out: ` +
      "the erasure itself has no such limit.",
  );
const full = (known: number): ApiError =>
  invalidField(
    "block",
    `A project can block at most ${blockedIdsPerProjectMax} ids, and one of these projects has ${known} already. ` +
      'Leave "block" out, and stop the sending at its source.',
  );
