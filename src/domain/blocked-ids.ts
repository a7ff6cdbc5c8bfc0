import { digestWith } from "./erased-digest";

/** The ids of erased people whose events a project excludes. */
export interface BlockedIds {
  has(userId: string): boolean;
}

/** The ids that one erasure can block, and those that are blocked in one project. */
export const blockedIdsPerErasureMax = 1_000;
export const blockedIdsPerProjectMax = 50_000;

/** The blocked ids of a project, in a form that one thread can send to another. */
export interface BlockedDigests {
  readonly projectId: string;
  readonly key: Uint8Array;
  readonly digests: ReadonlySet<string>;
}

export function blockedIdsOf({ projectId, key, digests }: BlockedDigests): BlockedIds {
  const digestOf = digestWith(key);
  return { has: (userId) => digests.has(digestOf(projectId, userId)) };
}
