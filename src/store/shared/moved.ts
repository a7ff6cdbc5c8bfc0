import type { Snapshot } from "../questions";

/*
 * What a store has, in a form that either engine can read from its tables and write into them: for moving from one to
 * the other. Numbers of projects and tickets of events stay, so that each event keeps its id, and each idempotency key.
 */

/** A user id as it was when events came with it: linked once more it is another one, and stored events stay. */
export interface MovedSender {
  readonly name: string;
  /** The number of times that it was linked before. */
  readonly generation: number;
}
/** A sender that is, or was, linked; one without a parent stands for itself. */
export interface MovedLink extends MovedSender {
  readonly parent: MovedSender | null;
}

export interface MovedProject {
  readonly number: number;
  /** Its public id. */
  readonly name: string;
  readonly retainedFromMs: number;
}

export interface MovedEvent {
  readonly ticket: number;
  readonly sender: MovedSender | null;
  /** The event as a line (event-line.ts). */
  readonly line: string;
}
/** Some events that lie together. Their number and bounds are known without reading them. */
export interface MovedEvents {
  readonly firstTimeMs: number;
  readonly lastTimeMs: number;
  readonly count: number;
  read(): Iterable<MovedEvent>;
}

export interface MovedAutomated {
  readonly date: string;
  readonly category: string;
  readonly actor: string;
  readonly requests: number;
  readonly droppedEvents: number;
  readonly lastSeenAtMs: number;
}

/** What a project has besides its events. */
export interface MovedPeople {
  readonly links: readonly MovedLink[];
  readonly profiles: readonly { readonly sender: MovedSender; readonly traits: string }[];
  readonly edges: readonly {
    readonly membership: string;
    readonly user: string;
    readonly other: string;
  }[];
  readonly emails: readonly {
    readonly membership: string;
    readonly digest: Uint8Array;
    readonly user: string;
  }[];
  readonly received: readonly { readonly date: string; readonly events: number }[];
  readonly automated: readonly MovedAutomated[];
}
/** All of a project at one moment. */
export interface MovedContent extends MovedPeople {
  /** The highest that was given in the store at that moment. */
  readonly lastTicket: number;
  readonly events: readonly MovedEvents[];
  /** Answers questions as of the same moment. */
  readonly questions: Snapshot;
}

/** What is of no project alone. */
export interface MovedStore {
  readonly projects: readonly MovedProject[];
  /** The highest ticket that was ever given. */
  readonly lastTicket: number;
  /** No project had a higher version, whatever changed in it. */
  readonly version: number;
  readonly hashSeed: bigint;
}
/** The idempotency key of an event, by which it is known when it is sent again. */
export interface MovedKey {
  readonly key: bigint;
  readonly acceptedAtMs: number;
}
