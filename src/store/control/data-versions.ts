import { eq, inArray } from "drizzle-orm";
import type { TrustPolicy } from "../../domain/trust/flagged";
import type { ControlConnection } from "./database";
import type { membershipQueries } from "./memberships";
import type { projectQueries } from "./projects";
import { dailyVisitorProject } from "./source-tables";
import { policiesOf } from "./trust";
import { dataChanges } from "./version-tables";

/** The data that an answer may be made from, as far as control.db knows. */
export interface DataSource {
  /** The projects whose events the answer may tell of. */
  readonly projectIds: readonly string[];
  /** Grows with every change of what else it tells of; with their versions in the event store, that is its version. */
  readonly changes: number;
  /** The decisions about flagged texts of these projects' owners, where they made one. */
  readonly policies: Readonly<Record<string, TrustPolicy>>;
  /** Tells whether one of these projects may count a visitor of two days as two. */
  readonly hasDailyVisitors: boolean;
}

type Memberships = ReturnType<typeof membershipQueries>;
type Projects = ReturnType<typeof projectQueries>;

/**
 * Keeps versions in memory, like the directory of projects: they are dropped when anything in control.db was changed.
 */
export class DataVersions {
  readonly #control: ControlConnection;
  readonly #memberships: Memberships;
  readonly #projects: Projects;
  readonly #known = new Map<string, DataSource>();
  #seen = -1;

  constructor(control: ControlConnection, memberships: Memberships, projects: Projects) {
    this.#control = control;
    this.#memberships = memberships;
    this.#projects = projects;
  }

  /** Returns the data of a project's reads, which may tell of the people of its portfolio. */
  ofProject(id: string): DataSource {
    return this.#of(id, () => {
      const place = this.#memberships.ofProject(id);
      if (place === undefined) return [id];
      return this.#memberships.ofPortfolio(place.portfolioId).map(({ projectId }) => projectId);
    });
  }

  /** Returns the data of an account's reads: those of all its live projects. */
  ofAccount(accountId: string): DataSource {
    return this.#of(accountId, () => this.#projects.ofAccount(accountId).map(({ id }) => id));
  }

  #of(id: string, projectIds: () => readonly string[]): DataSource {
    const { revision, db } = this.#control;
    if (this.#seen !== revision) {
      this.#seen = revision;
      this.#known.clear();
    }
    const known = this.#known.get(id);
    if (known !== undefined) return known;
    const found = db.select().from(dataChanges).where(eq(dataChanges.id, id)).get();
    const ids = projectIds();
    const policies = policiesOf(db, ids);
    const daily = db
      .select()
      .from(dailyVisitorProject)
      .where(inArray(dailyVisitorProject.projectId, [...ids]))
      .get();
    const source = {
      ...{ projectIds: ids, changes: found?.changes ?? 0, policies },
      hasDailyVisitors: daily !== undefined,
    };
    this.#known.set(id, source);
    return source;
  }
}
