import type { FilterItem } from "../../../src/domain/filter-items";
import type { Entry, Read } from "../../../src/store/port";
import type { PlaceInRead } from "./engine";

/**
 * What a random history drives: an engine that stores, changes and answers. One that works in the thread of the test
 * has done what it was told when the call returns; of one beyond a network the promise is waited for.
 */
export interface Driven extends Answering {
  /** Several entries as one request. */
  append(entries: readonly Entry[]): unknown;
  forget(projectId: string, retainedFromMs: number): unknown;
  purge(projectId: string): unknown;
  replaceProject(projectId: string, stagingId: string): unknown;
  unlink(projectId: string, previousId: string): unknown;
  /** What an engine does beside requests, as far as it does it. */
  compact(merges: number): unknown;
  noteOverlaps(): unknown;
  sweep(): unknown;
  /** Nothing is kept but what is stored. */
  restart(): unknown;
  /** This is called from within `read`, and waited for where the engine can wait. */
  meanwhile: (place: PlaceInRead) => unknown;
  close(): unknown;
}

export interface Answering {
  read<Input, Output>(
    read: Read<Input, Output>,
    input: Input,
    /** The filters of a share. */
    narrowedBy?: readonly FilterItem[],
  ): Promise<Output>;
}
