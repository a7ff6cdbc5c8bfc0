import { and, asc, count, eq, isNull, sql } from "drizzle-orm";
import { type Caller, isReadable } from "../../domain/caller";
import { ApiError, invalidField } from "../../domain/errors";
import { type Share, sharesPerProjectMax } from "../../domain/share";
import { clock } from "../../lib/clock";
import { newId, newToken, sha256Hex } from "../../lib/ids";
import { Seal } from "../../lib/seal";
import { type AccountFacts, accountFacts } from "./credentials";
import { type ControlConnection, prepared } from "./database";
import { member, person } from "./member-tables";
import type { WithProjects } from "./projects";
import { type ShareRow, share } from "./share-tables";
import { account, project } from "./tables";

/** Shares of projects. What belongs to a project that is gone is gone with it. */
export function shareQueries(control: ControlConnection & { readonly identitySecret: string }) {
  const { db } = control;
  const seal = new Seal(control.identitySecret, "share tokens");
  const live = and(isNull(project.deletedAtMs), isNull(account.deletedAtMs));
  const holders = () =>
    db
      .select({ share, account: accountFacts, owner: person.email, project: project.name })
      .from(share)
      .innerJoin(project, eq(project.id, share.projectId))
      .innerJoin(account, eq(account.id, project.accountId))
      .innerJoin(member, and(eq(member.accountId, account.id), eq(member.role, "owner")))
      .innerJoin(person, eq(person.id, member.personId));
  const holder = prepared(() =>
    holders()
      .where(and(eq(share.tokenHash, sql.placeholder("hash")), live))
      .prepare(),
  );
  return {
    holderOfToken: (token: string): ShareHolder | undefined =>
      holder().get({ hash: sha256Hex(token) }),
    holderOfId: (id: string): ShareHolder | undefined =>
      holders()
        .where(and(eq(share.id, id), live))
        .get(),
    byId: (id: string): ShareRow | undefined =>
      db.select().from(share).where(eq(share.id, id)).get(),
    /** Oldest first. */
    ofProject: (projectId: string): readonly ShareRow[] =>
      db
        .select()
        .from(share)
        .where(eq(share.projectId, projectId))
        .orderBy(asc(share.createdAtMs), asc(share.id))
        .all(),
    tokenOf: ({ id, sealedToken }: ShareRow): string => seal.open(sealedToken, id) ?? "",
    add(made: NewShare): ShareRow {
      return control.write(() => {
        const { projectId } = made;
        const shares = db
          .select({ rows: count() })
          .from(share)
          .where(eq(share.projectId, projectId));
        requireRoom(shares.get()?.rows ?? 0, sharesPerProjectMax, "shares");
        const id = newId("shr");
        const token = newToken("sht");
        const sealed = { tokenHash: sha256Hex(token), sealedToken: seal.close(token, id) };
        const row = { id, ...made, ...sealed, createdAtMs: clock.nowMs() };
        return db.insert(share).values(row).returning().get();
      });
    },
    drop: (id: string): void =>
      control.write(() => {
        db.delete(share).where(eq(share.id, id)).run();
      }),
  };
}

export interface ShareHolder {
  readonly share: Share & ShareRow;
  readonly account: AccountFacts;
  /** The address of the account's owner. */
  readonly owner: string;
  /** The project's name. */
  readonly project: string;
}
export type NewShare = Omit<ShareRow, "id" | "tokenHash" | "sealedToken" | "createdAtMs">;

/** One that is the caller's, in a live project. Throws NOT_FOUND, and FORBIDDEN for another account's. */
export function requireOwn<Row extends { readonly projectId: string }>(
  { projects }: WithProjects,
  caller: Caller,
  row: Row | undefined,
  what: "share" | "view",
): Row {
  const owning = row && projects.byId(row.projectId);
  if (row === undefined || owning === undefined) {
    throw new ApiError("NOT_FOUND", `This ${what} does not exist. GET /${what}s lists them.`);
  }
  if (isReadable(caller, owning)) return row;
  throw new ApiError("FORBIDDEN", `This ${what} belongs to another account.`);
}

export function requireRoom(rows: number, rowsMax: number, what: string): void {
  if (rows < rowsMax) return;
  throw invalidField("project", `A project can have at most ${rowsMax} ${what}. Delete one first.`);
}
