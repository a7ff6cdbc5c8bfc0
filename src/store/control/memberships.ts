import { and, asc, eq, inArray, isNotNull, isNull, sql } from "drizzle-orm";
import { newId } from "../../lib/ids";
import { type ControlDatabase, prepared } from "./database";
import { endedMembership, portfolioMember, project } from "./tables";

/** A project's place in a portfolio. */
export interface Member {
  /** The id of the membership, under which the event store keeps what it told. */
  readonly id: string;
  readonly portfolioId: string;
  readonly projectId: string;
  readonly project: string;
  readonly addedAtMs: number;
}

/** Queries about the members of portfolios. A deleted project is a member of nothing, from that moment on. */
export function membershipQueries(db: ControlDatabase) {
  const members = () =>
    db
      .select({
        id: portfolioMember.id,
        portfolioId: portfolioMember.portfolioId,
        projectId: portfolioMember.projectId,
        project: project.name,
        addedAtMs: portfolioMember.addedAtMs,
      })
      .from(portfolioMember)
      .innerJoin(project, eq(project.id, portfolioMember.projectId));
  const ofPortfolio = prepared(() =>
    members()
      .where(
        and(
          eq(portfolioMember.portfolioId, sql.placeholder("portfolioId")),
          isNull(project.deletedAtMs),
        ),
      )
      .orderBy(asc(portfolioMember.addedAtMs), asc(project.name))
      .prepare(),
  );
  const ofProject = prepared(() =>
    members()
      .where(
        and(
          eq(portfolioMember.projectId, sql.placeholder("projectId")),
          isNull(project.deletedAtMs),
        ),
      )
      .prepare(),
  );
  return {
    /** Returns the members in the order in which they joined. */
    ofPortfolio: (portfolioId: string): Member[] => ofPortfolio().all({ portfolioId }),
    ofProject: (projectId: string): Member | undefined => ofProject().get({ projectId }),

    /** Begins a membership, within a write. The project must be in no portfolio. */
    begin(portfolioId: string, projectId: string, addedAtMs: number): void {
      const row = { id: newId("mem"), portfolioId, projectId, addedAtMs };
      db.insert(portfolioMember).values(row).run();
    },
    ...endQueries(db),
  };
}

type Place = Pick<Member, "id" | "projectId">;

/** The event store's part of an end comes later than ours, so it is kept in mind until then. */
const endQueries = (db: ControlDatabase) => ({
  /** Ends memberships, within a write: what was kept under them is not found any more, and will be removed. */
  end(memberships: readonly Place[]): void {
    for (const { id, projectId } of memberships) {
      db.insert(endedMembership).values({ id, projectId }).run();
      db.delete(portfolioMember).where(eq(portfolioMember.id, id)).run();
    }
  },
  ofDeletedProjects: (): Place[] =>
    db
      .select({ id: portfolioMember.id, projectId: portfolioMember.projectId })
      .from(portfolioMember)
      .innerJoin(project, eq(project.id, portfolioMember.projectId))
      .where(isNotNull(project.deletedAtMs))
      .all(),
  /** Returns ended memberships under which the event store may still keep something. */
  ended: (countMax: number): Place[] => db.select().from(endedMembership).limit(countMax).all(),
  forgetEnded(ids: readonly string[]): void {
    db.delete(endedMembership)
      .where(inArray(endedMembership.id, [...ids]))
      .run();
  },
});
