import type { SessionField } from "../../../domain/session-field";
import type { sessionVisitor } from "../../../domain/visitor-field";
import type { Workspace } from "../sets/workspace";
import { type EdgeField, type EdgeSource, EdgeValues } from "./edge-values";
import type { CachedValues } from "./field-values";
import { referrersInto } from "./referrer-hosts";
import { Channels, Sources } from "./session-sources";

/** Fields of sessions, and other values that the table has for each session. */
export type SessionValueName =
  // That field also depends on the links of users (first-sessions.ts).
  | Exclude<SessionField, typeof sessionVisitor>
  | "first event"
  | "first version"
  | `properties.${string}`;
/** The columns that have the page of an event. */
const pageColumns = ["property.path", "property.url"];
/** The columns that have the version of an event. */
export const versionColumns = ["property.version", "property.release", "property.app_version"];

export const entryPage: EdgeField = { edge: "first", columns: pageColumns, isOfStrings: true };
export const exitPage: EdgeField = { edge: "last", columns: pageColumns, isOfStrings: true };

/** All cards of a page send the same filters. The marks of one filter take a byte for each session. */
const cachedFiltersMax = 2;

/** The sessions that have the fields. */
export interface ValuesSource extends EdgeSource {
  /** The fields of the table that this one extends, and the numbers of the sessions that changed. */
  readonly base: TableValues | null;
  readonly changed: Uint32Array;
  /** By segment, the session of each visit: of all sessions, while `visits` has only new and changed ones. */
  readonly of: ReadonlyMap<number, Uint32Array>;
}

/** The fields of a table of sessions. It computes each at its first use. */
export class TableValues {
  private readonly edges = new Map<SessionValueName, EdgeValues>();
  /** The fields that follow from other fields: source and channel. */
  private readonly origins = new Map<SessionValueName, CachedValues>();
  /** The sessions that passed the latest filters on a field, in the order of these filters. */
  private readonly passed = new Map<string, Uint8Array>();
  /** The own hosts with which the fields were computed, as the source of a session depends on them. */
  private ownHosts = "";

  constructor(
    /** A function, because a table releases the one that it extends once it is independent. */
    private readonly source: () => ValuesSource,
    private readonly workspace: Workspace,
  ) {}

  /** The bytes of all fields, except those that share the memory of another table. */
  get bytes(): number {
    const isExtension = this.source().base !== null;
    const fields = [...(isExtension ? [] : this.edges.values()), ...this.origins.values()];
    const ofFilters = this.passed.values().reduce((sum, { byteLength }) => sum + byteLength, 0);
    return fields.reduce((sum, { bytes }) => sum + bytes, ofFilters);
  }
  forget(): void {
    this.edges.clear();
    this.origins.clear();
    this.passed.clear();
  }
  /** Computes the fields that the extended table has, so that the caller can release that table. */
  settle(): void {
    for (const field of [...(this.source().base?.edges.keys() ?? [])]) this.of(field);
  }
  /** Restores the fields from before the extension. */
  takeBack(): void {
    for (const values of this.edges.values()) values.takeBack();
  }

  /** Returns a 1 for each session that passes the filter with this name. */
  passing(name: string, find: () => Uint8Array): Uint8Array {
    const known = this.passed.get(name);
    if (known !== undefined) return known;
    const marks = find();
    for (const oldest of this.passed.keys()) {
      if (this.passed.size < cachedFiltersMax) break;
      this.passed.delete(oldest);
    }
    this.passed.set(name, marks);
    return marks;
  }
  of(field: SessionValueName): CachedValues {
    const { workspace } = this;
    // Reads may use any property, so cached properties would add up.
    if (field.startsWith("properties.")) {
      const { count, links, of } = this.source();
      return new EdgeValues({ count, links, visits: of }, workspace, edgeField(field, workspace));
    }
    this.forgetOtherHosts();
    if (field !== "session.source" && field !== "session.channel") return this.edgeOf(field);
    const values = this.origins.get(field) ?? this.originOf(field);
    this.origins.set(field, values);
    return values;
  }

  private forgetOtherHosts(): void {
    const ownHosts = this.workspace.ownHosts.join();
    if (ownHosts !== this.ownHosts) this.forget();
    this.ownHosts = ownHosts;
  }
  private originOf(field: "session.source" | "session.channel"): CachedValues {
    const { workspace } = this;
    const sources = this.edgeOf("session.utm_source");
    const referrers = this.edgeOf("session.referrer");
    if (field === "session.source") return new Sources(workspace, sources, referrers);
    return new Channels(workspace, sources, this.edgeOf("session.utm_medium"), referrers);
  }
  private edgeOf(field: SessionValueName): EdgeValues {
    const known = this.edges.get(field);
    if (known !== undefined) return known;
    const { workspace } = this;
    const { base, changed, ...source } = this.source();
    const texts =
      field === "session.exit_page" ? this.edges.get("session.entry_page")?.texts : undefined;
    const extendable = base && { values: base.extendable(field), changed };
    const values = new EdgeValues(
      { ...source, texts },
      workspace,
      edgeField(field, workspace),
      extendable,
    );
    this.edges.set(field, values);
    return values;
  }
  private extendable(field: SessionValueName): EdgeValues {
    this.forgetOtherHosts();
    if (this.edges.get(field)?.isOvergrown) this.forget();
    return this.edgeOf(field);
  }
}

function edgeField(field: SessionValueName, workspace: Workspace): EdgeField {
  switch (field) {
    case "session.entry_page":
      return entryPage;
    case "session.exit_page":
      return exitPage;
    case "session.country":
      return { edge: "first", columns: ["event.country"] };
    case "session.referrer":
      return {
        ...{ edge: "first", columns: ["property.referrer"] },
        readingInto: referrersInto(workspace),
      };
    case "first event":
      return { edge: "first", columns: ["event.name"] };
    case "first version":
      return { edge: "first", columns: versionColumns };
    default:
      return { edge: "first", columns: [`property.${field.replace(/^\w+\./, "")}`] };
  }
}
