import type { OpenSnapshot } from "../questions/open-snapshot";
import { VERSION } from "../questions/told";
import type { PartInput, PartName, PartResult } from "./parts";

/** The read that a part belongs to. */
export interface PartRequest<Name extends PartName> {
  readonly name: Name;
  readonly asked: PartInput<Name>;
  readonly projectId: string;
  /** The version of the project's data that the read sees: a helper that sees other data cannot help. */
  readonly version: number;
  /** The own hosts of the read (store/port.ts, ReadRequest). */
  readonly ownHosts: readonly string[];
}

/** What a helper is asked by the read of a snapshot. */
export function requestTo<Name extends PartName>(
  snapshot: OpenSnapshot,
  projectId: string,
  name: Name,
  asked: PartInput<Name>,
): PartRequest<Name> {
  const version = snapshot.value(VERSION, JSON.stringify([projectId]));
  return { name, asked, projectId, version, ownHosts: snapshot.context.ownHosts };
}

/** The threads that help one reader. They are asked for parts of what a read asks, while it answers another itself. */
export interface Helpers {
  /** The number of helpers, which stays the same during a read; 0 while the machine is busy. */
  readonly count: number;
  /**
   * Groupings that had too many groups to be told, and funnels whose parts took too much memory: they are not counted
   * in parts again.
   */
  readonly declined: Set<string>;
  /**
   * Asks a helper for a part. It resolves with null when that one cannot tell, whatever the reason: the caller computes
   * the part itself then, or all of a funnel. `helper` is below `count`; the same one is asked for the same part, as it
   * keeps columns.
   */
  ask<Name extends PartName>(
    helper: number,
    request: PartRequest<Name>,
  ): Promise<PartResult<Name> | null>;
  /** After a read: what is still being answered for it is of no use. */
  endRead(): void;
}

/** A few hundred bytes each. */
const declinedMax = 1_000;
/** Keeps in mind that something is not to be counted in parts again. */
export function decline({ declined }: Helpers, key: string): void {
  if (declined.size >= declinedMax) declined.clear();
  declined.add(key);
}

const lookEveryMs = 20;

/** A helper may be busy with something else, or not be there yet, when the read that waits for it is given up. */
export async function unlessCancelled<T>(found: Promise<T>, check: () => void): Promise<T> {
  const isOver = Symbol("it is time to look");
  for (;;) {
    const first = await Promise.race([found, Bun.sleep(lookEveryMs).then(() => isOver)]);
    if (first !== isOver) return first as T;
    check();
  }
}
