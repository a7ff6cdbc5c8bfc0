/** A place to which backups go. The names of its objects have slashes between their parts. */
export interface Target {
  /** Writes an object that is not there yet. It is durable when this resolves. */
  put(name: string, bytes: Uint8Array): Promise<void>;
  /** Resolves with null when there is no such object. */
  get(name: string): Promise<Uint8Array | null>;
  /** The names of all objects below a prefix that ends with a slash, or of all, ascending. */
  list(prefix: string): Promise<readonly string[]>;
  /** Removes an object; one that is not there is fine. */
  remove(name: string): Promise<void>;
}

/** The target did not do what it was asked. The message is the target's own, on one line. */
export class TargetFailed extends Error {}
