import { and, eq, isNull, type SQL, sql } from "drizzle-orm";
import { type SourceKind, sourceKeyOf } from "../../domain/source";
import { type ControlDatabase, prepared } from "./database";
import { type DirectoryControl, hasBlocked, type Recipient } from "./directory";
import { exclusion } from "./exclusion-tables";
import { exclusionsOf } from "./exclusions";
import { source } from "./source-tables";
import { account, portfolioMember, project } from "./tables";

/** A source as ingestion knows it. */
export interface KnownSource {
  readonly id: string;
  readonly kind: SourceKind;
  readonly createdAtMs: number;
  readonly project: Recipient;
}

const idForm = /^src_[a-z0-9]{16}$/;

/**
 * The sources of live projects, in memory, like the directory of projects: all of it is dropped when anything in
 * control.db was changed, and what is unknown is not remembered.
 */
export class SourceDirectory {
  readonly #control: DirectoryControl;
  readonly #query: ReturnType<typeof directoryQueries>;
  readonly #byId = new Map<string, KnownSource>();
  readonly #byKey = new Map<string, KnownSource>();
  #seen = -1;

  constructor(control: DirectoryControl) {
    this.#query = directoryQueries(control.db);
    this.#control = control;
  }

  byId(id: string): KnownSource | undefined {
    this.#dropWhenStale();
    if (!idForm.test(id)) return undefined;
    return this.#remembered(this.#byId, id, () => this.#query.byId().get({ id }));
  }

  /** The source that a key names at the root, in whatever spelling the client has it. */
  byKey(kind: SourceKind, sent: string): KnownSource | undefined {
    this.#dropWhenStale();
    const key = sourceKeyOf(kind, sent);
    if (key === null) return undefined;
    const find = () => this.#query.byKey().get({ kind, key });
    return this.#remembered(this.#byKey, `${kind} ${key}`, find);
  }

  #remembered(
    among: Map<string, KnownSource>,
    name: string,
    find: () => Found | undefined,
  ): KnownSource | undefined {
    const known = among.get(name);
    if (known !== undefined) return known;
    const found = find();
    if (found === undefined) return undefined;
    const { source: of, project, membership, rules, blocks } = found;
    const blocked = blocks === 0 ? null : this.#control.blockedIds.ofProject(project.id);
    const facts = { ...project, membership, exclusions: exclusionsOf(rules), blocked };
    const made = { ...of, project: facts };
    among.set(name, made);
    return made;
  }

  #dropWhenStale(): void {
    const { revision } = this.#control;
    if (this.#seen === revision) return;
    this.#seen = revision;
    this.#byId.clear();
    this.#byKey.clear();
  }
}

interface Found {
  readonly source: Omit<KnownSource, "project">;
  readonly project: Omit<Recipient, "membership" | "exclusions" | "blocked">;
  readonly membership: Recipient["membership"];
  readonly rules: string | null;
  readonly blocks: number;
}

function directoryQueries(db: ControlDatabase) {
  const where = (condition: SQL | undefined) =>
    db
      .select({
        source: { id: source.id, kind: source.kind, createdAtMs: source.createdAtMs },
        project: {
          id: project.id,
          accountId: project.accountId,
          allowedOrigins: project.allowedOrigins,
          identify: project.identify,
        },
        membership: { id: portfolioMember.id, portfolioId: portfolioMember.portfolioId },
        rules: exclusion.rules,
        blocks: hasBlocked,
      })
      .from(source)
      .innerJoin(project, eq(project.id, source.projectId))
      .innerJoin(account, eq(account.id, project.accountId))
      .leftJoin(portfolioMember, eq(portfolioMember.projectId, project.id))
      .leftJoin(exclusion, eq(exclusion.projectId, project.id))
      .where(and(condition, isNull(project.deletedAtMs), isNull(account.deletedAtMs)))
      .prepare();
  return {
    byId: prepared(() => where(eq(source.id, sql.placeholder("id")))),
    byKey: prepared(() =>
      where(and(eq(source.kind, sql.placeholder("kind")), eq(source.key, sql.placeholder("key")))),
    ),
  };
}
