/** The rows of a segment that a read is about: all (null), or those marked 1. */
export type Rows = Uint8Array | null;
