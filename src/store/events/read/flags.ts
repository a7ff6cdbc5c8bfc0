import { digestInMask, policyDefault, type TrustPolicy } from "../../../domain/trust/flagged";
import {
  type FlagsOfProject,
  type KnownFlags,
  type Shown,
  shownOf,
} from "../../../domain/trust/mask";
import type { ByteBoundedCache } from "../../../lib/cache";
import type { DataFactsRequest } from "../../port";
import { fromFlaggedText } from "../flagged-text";
import type { OpenSnapshot } from "../questions/open-snapshot";

/** An estimate of the memory that a digest takes: a text of twelve characters in a set. */
const bytesPerFlag = 80;

const STATE = `
  select coalesce(sum(data_version), 0) as version, coalesce(max(flag_changes), 0) as changes from project
  where name in (select value from json_each(:projects))`;
const PROJECTS_WITH_FLAGS = `
  select id, name, flag_changes as changes from project
  where flag_changes > 0 and name in (select value from json_each(:projects))`;
const FLAGS = `
  select distinct digest, length from flagged_value where project_id = :project`;
/** Selects the projects with texts that the inspection (compact/inspection.ts) has not seen yet. */
const PENDING = `
  select name from project
  where name in (select value from json_each(:projects)) and (
    exists (select 1 from current_segment
      where is_inspected = 0 and project_id = project.id)
    or inspected_users < (select coalesce(max(number), 0) from user where project_id = project.id)
    or exists (select 1 from profile where is_inspected = 0 and project_id = project.id))`;
const TEXT = `
  select text from flagged_value
  where project_id = :project and digest = :digest and text is not null limit 1`;

interface ProjectWithFlags {
  readonly id: number;
  readonly name: string;
  readonly changes: number;
}

/** Applies the flagged texts of a read's projects to its input and its answer. Most projects have none. */
export class FlagsOfRead {
  private readonly projects: readonly ProjectWithFlags[];
  private pending: readonly { readonly name: string }[] | null = null;
  /** The sum of the data versions of these projects. */
  readonly version: number;

  constructor(
    private readonly snapshot: OpenSnapshot,
    private readonly cache: ByteBoundedCache,
    private readonly request: DataFactsRequest,
  ) {
    const projects = JSON.stringify(request.projectIds);
    const state = snapshot.row<{ version: number; changes: number }>(STATE, { projects });
    this.version = state?.version ?? 0;
    this.projects =
      state === undefined || state.changes === 0
        ? []
        : snapshot.rows(PROJECTS_WITH_FLAGS, { projects });
  }

  /** Replaces masks in the input by the texts that they stand for. */
  questionOf<Input>(input: Input): Input {
    if (this.projects.length === 0 || !JSON.stringify(input).includes("[flagged:")) return input;
    return this.unmasked(input) as Input;
  }

  /**
   * Masks the flagged texts of an answer and counts them. If `isAlwaysJudged`, texts that the inspection has not seen
   * yet are judged in every project, so that the count does not depend on its progress.
   */
  answerOf(json: string, isExact: boolean, isAlwaysJudged: boolean): Shown {
    const flags = this.projects.map((project) => this.flagsOf(project));
    const shown = shownOf(json, flags, this.policiesToJudge(isAlwaysJudged));
    return isExact ? { json, flagged: shown.flagged } : shown;
  }

  /**
   * Returns the policies of the projects whose answers need a judgement now. If the owner of a project wants masks, new
   * texts are masked at once: the read judges them until the inspection has seen all.
   */
  private policiesToJudge(isAlwaysJudged: boolean): readonly TrustPolicy[] {
    const { projectIds } = this.request;
    const judged = projectIds.filter(
      (id) => isAlwaysJudged || this.policyOf(id).flagged === "mask",
    );
    if (judged.length === 0) return [];
    const projects = JSON.stringify(judged);
    this.pending ??= this.snapshot.rows<{ name: string }>(PENDING, { projects });
    return this.pending.map(({ name }) => this.policyOf(name));
  }
  private policyOf(projectId: string): TrustPolicy {
    return this.request.policies?.[projectId] ?? policyDefault;
  }
  private flagsOf({ id, name, changes }: ProjectWithFlags): FlagsOfProject {
    const bytesOf = ({ digests }: KnownFlags): number => digests.size * bytesPerFlag;
    const flags = this.cache.get(`flags of ${id} at ${changes}`, bytesOf, () => this.load(id));
    return { ...flags, policy: this.policyOf(name) };
  }
  private load(project: number): KnownFlags {
    const rows = this.snapshot.rows<{ digest: string; length: number }>(FLAGS, { project });
    return {
      lengths: new Set(rows.map(({ length }) => length)),
      digests: new Set(rows.map(({ digest }) => digest)),
    };
  }

  private unmasked(value: unknown): unknown {
    if (typeof value === "string") return this.textOf(value);
    if (Array.isArray(value)) return value.map((one) => this.unmasked(one));
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, part]) => [name, this.unmasked(part)]),
    );
  }
  private textOf(value: string): string {
    const digest = digestInMask(value);
    if (digest === null) return value;
    for (const { id } of this.projects) {
      const row = this.snapshot.row<{ text: string }>(TEXT, { project: id, digest });
      if (row !== undefined) return fromFlaggedText(row.text);
    }
    return value;
  }
}
