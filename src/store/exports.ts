import type { FilterItem } from "../domain/filter-items";
import type { AutomatedSums } from "./automated-requests";
import type { FoundSession, Snapshot, View } from "./questions";

/**
 * The lists that an export reads of a project, each to its end and in pieces, so that no list is in memory as a whole.
 * All of them are as of one moment, and what retention hides is in none.
 */
export interface ExportSource {
  /** The events of the view by ascending id; those after `afterId` alone, where one is named. */
  events(view: View, afterId: string | null): AsyncIterable<readonly ExportedEvent[]>;
  /** The sessions that began in the view, newest first. */
  sessions(view: View): AsyncIterable<readonly FoundSession[]>;
  /** The ids that stand for another one today, by code points. */
  identities(projectId: string): AsyncIterable<readonly ExportedIdentity[]>;
  /** What /identify told of users, by their ids. */
  profiles(projectId: string): AsyncIterable<readonly ExportedProfile[]>;
  /** Automated requests of a range of UTC dates, by date. */
  automatedDays(projectId: string, dates: DateRange): AsyncIterable<readonly AutomatedDay[]>;
  /** The questions of reads, of the same moment. */
  readonly questions: Snapshot;
  /** The lists of a project in which there are only the events for which the filters hold. */
  narrowedTo(projectId: string, filters: readonly FilterItem[]): Promise<ExportSource>;
}

/** Both dates are included, as `YYYY-MM-DD`. */
export interface DateRange {
  readonly from: string;
  readonly to: string;
}
export interface ExportedIdentity {
  readonly previous_id: string;
  readonly user_id: string;
}
export interface ExportedProfile {
  readonly user_id: string;
  /** JSON of an object. */
  readonly traits: string;
  /** The keyed hashes of the addresses that came with the id, in hexadecimal digits. */
  readonly emails: readonly string[];
}
export interface AutomatedDay extends AutomatedSums {
  readonly date: string;
  readonly category: string;
  readonly actor: string;
}

export interface ExportedEvent {
  readonly id: string;
  readonly timeMs: number;
  readonly name: string;
  /** The user to whom the event belongs today. */
  readonly userId: string | null;
  readonly sessionId: string | null;
  readonly country: string | null;
  /** JSON exactly as it was stored; null where the event came without. */
  readonly properties: string | null;
}

/**
 * A named export, as threads find it by name. It makes the bytes of a file out of lists. The buffers of the bytes are
 * given away: threads hand them over.
 */
export interface Export<Input> {
  readonly name: string;
  run(source: ExportSource, input: Input): AsyncIterable<Uint8Array>;
}

/** An export under way. It makes the next bytes only when they are asked for. */
export interface ExportStream {
  /** Returns the next bytes, or null after the last ones. Rejects when the export cannot go on. */
  next(): Promise<Uint8Array | null>;
  /** Ends the export, finished or not, and releases its snapshot. */
  close(): void;
}
