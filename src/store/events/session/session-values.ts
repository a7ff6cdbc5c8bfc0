import type { SessionField } from "../../../domain/session-field";
import type { sessionVisitor } from "../../../domain/visitor-field";
import type { Workspace } from "../sets/workspace";
import { asItIs, FirstValues } from "./first-values";
import type { KeptValues, SessionValues } from "./kept-values";
import { referrersInto } from "./referrer-hosts";
import type { LinkedSessions } from "./session-links";
import type { SessionPages } from "./session-pages";
import { Channels, Sources } from "./session-sources";

/** Fields of sessions, and what else is told of each of them. */
export type SessionValueName =
  // It depends on the links of users too (first-sessions.ts).
  | Exclude<SessionField, typeof sessionVisitor>
  | "first event"
  | "first page"
  | "first version"
  | `properties.${string}`;
/** The columns that tell the page of an event. */
const pageColumns = ["property.path", "property.url"];
/** The columns that tell the version of an event. */
export const versionColumns = ["property.version", "property.release", "property.app_version"];

/** A page asks all its cards with the same filters; each takes a byte a session. */
const keptFiltersMax = 2;

/** The fields of sessions that were asked for, each found when it is asked for first. */
export class KnownValues {
  private readonly known = new Map<SessionValueName, KeptValues>();
  /** Which sessions passed the filters on a field that were asked last, in the order in which they came. */
  private readonly passed = new Map<string, Uint8Array>();
  /** The own hosts with which the fields were found, as the source of a session depends on them. */
  private ownHosts = "";

  constructor(
    private readonly sessions: LinkedSessions,
    private readonly pages: () => SessionPages,
    private readonly workspace: Workspace,
  ) {}

  get bytes(): number {
    const ofFilters = this.passed.values().reduce((sum, { byteLength }) => sum + byteLength, 0);
    return this.known.values().reduce((sum, { bytes }) => sum + bytes, ofFilters);
  }
  forget(): void {
    this.known.clear();
    this.passed.clear();
  }

  /** A 1 for each session that passes the filter with a name. */
  passing(name: string, find: () => Uint8Array): Uint8Array {
    const known = this.passed.get(name);
    if (known !== undefined) return known;
    const marks = find();
    for (const oldest of this.passed.keys()) {
      if (this.passed.size < keptFiltersMax) break;
      this.passed.delete(oldest);
    }
    this.passed.set(name, marks);
    return marks;
  }
  of(field: SessionValueName): SessionValues {
    if (field === "session.entry_page") return pageValues(this.pages(), "entry");
    if (field === "session.exit_page") return pageValues(this.pages(), "exit");
    // Any property may be asked for: they would add up.
    if (field.startsWith("properties.")) return this.find(field);
    const ownHosts = this.workspace.ownHosts.join();
    if (ownHosts !== this.ownHosts) this.forget();
    this.ownHosts = ownHosts;
    let values = this.known.get(field);
    if (values === undefined) {
      values = this.find(field);
      this.known.set(field, values);
    }
    return values;
  }

  private find(field: SessionValueName): KeptValues {
    const { sessions, workspace } = this;
    switch (field) {
      case "session.country":
        return new FirstValues(sessions, workspace, ["event.country"]);
      case "session.referrer":
        return new FirstValues(
          sessions,
          workspace,
          ["property.referrer"],
          referrersInto(workspace),
        );
      case "session.source":
        return new Sources(workspace, this.of("session.utm_source"), this.of("session.referrer"));
      case "session.channel":
        return new Channels(
          workspace,
          this.of("session.utm_source"),
          this.of("session.utm_medium"),
          this.of("session.referrer"),
        );
      case "first event":
        return new FirstValues(sessions, workspace, ["event.name"]);
      // The entry page, without the exit page.
      case "first page":
        return new FirstValues(sessions, workspace, pageColumns, asItIs, { isOfStrings: true });
      case "first version":
        return new FirstValues(sessions, workspace, versionColumns);
      default:
        return new FirstValues(sessions, workspace, [`property.${field.replace(/^\w+\./, "")}`]);
    }
  }
}

function pageValues(pages: SessionPages, which: "entry" | "exit"): SessionValues {
  const of = pages[which];
  return {
    count: pages.count,
    numberOf: (session) => of[session] + 1,
    copyInto: (numbers, from) => {
      for (let at = 0; at < numbers.length; at++) numbers[at] = of[from + at] + 1;
    },
    text: (number) => pages.name(number - 1),
    byteAt: (number, place) => pages.byteAt(number - 1, place),
  };
}
