/*
 * The queue's places are shared by project.
 * Decision: a project may take a place while it then holds no more than what is still free, in events and in bytes.
 * Because: one project that floods the server leaves half of the places to the others; ten of them get an eleventh
 * each and leave one. No list of shares has to be kept, and nobody waits for a project to give something back.
 * Cost: a server with a single project uses half of its queue.
 */

import { assert } from "../../../lib/assert";
import type { Entry } from "../../port";

export const ingestQueueEventsMax = 100_000;
export const ingestQueueBytesMax = 256 * 1024 * 1024;

interface Held {
  events: number;
  bytes: number;
}

/** The places in the queue, and how many of them each project holds. */
export class Places {
  private readonly held = new Map<string, Held>();
  private readonly free: Held;

  constructor(
    private readonly eventsMax: number,
    private readonly bytesMax = ingestQueueBytesMax,
  ) {
    this.free = { events: eventsMax, bytes: bytesMax };
  }

  /** How many events are in the queue. */
  get events(): number {
    return this.eventsMax - this.free.events;
  }

  /** Tells whether a project may take these places too. */
  hasFor(project: string, events: number, bytes: number): boolean {
    const { free } = this;
    const held = this.held.get(project);
    return (
      (held?.events ?? 0) + events <= free.events - events &&
      (held?.bytes ?? 0) + bytes <= free.bytes - bytes
    );
  }

  /** Tells whether the project holds more than a tenth of all places, so that its requests delay each other. */
  isFlooding(project: string): boolean {
    const held = this.held.get(project);
    return (
      held !== undefined && (held.events > this.eventsMax / 10 || held.bytes > this.bytesMax / 10)
    );
  }

  take(project: string, events: number, bytes: number): void {
    move(this.free, -events, -bytes);
    const held = this.held.get(project);
    if (held === undefined) this.held.set(project, { events, bytes });
    else move(held, events, bytes);
  }

  giveBack(project: string, events: number, bytes: number): void {
    move(this.free, events, bytes);
    const held = this.held.get(project);
    assert(held !== undefined, "only what was taken is given back");
    move(held, -events, -bytes);
    if (held.events === 0 && held.bytes === 0) this.held.delete(project);
  }
}

function move(held: Held, events: number, bytes: number): void {
  held.events += events;
  held.bytes += bytes;
}

/** Identities and sums take a place as well, so that their number is bounded too. */
export const weightOf = (entry: Entry): number =>
  entry.kind === "events" ? entry.events.length : 1;

/** Requests about several projects, as the sums of automated ones, share the places of one. */
export const noProject = "";
export function projectOf(entries: readonly Entry[]): string {
  const project = entries[0]?.projectId ?? noProject;
  for (const { projectId } of entries) if (projectId !== project) return noProject;
  return project;
}
