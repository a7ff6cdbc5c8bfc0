import type { ErasureStore } from "../erasures";
import type { ErasedBytes } from "./erased-bytes";
import type { ReadGate } from "./read-gate";
import type { Writer } from "./writer/writer";

interface ErasureParts {
  readonly writer: Writer;
  readonly bytes: ErasedBytes;
  readonly gate: ReadGate;
  /** Resolves when all events that the server has accepted so far are stored. */
  settled(): Promise<void>;
  /** Ends the exports of a project. */
  cutExports(projectId: string): void;
}

/** The erasures of this engine: the writer deletes rows, and ClickHouse writes its parts again without them. */
export class Erasures implements ErasureStore {
  private last: Promise<unknown> = Promise.resolve();

  constructor(private readonly parts: ErasureParts) {}

  /** One after the other. */
  erase(projectId: string, userIds: readonly string[]): Promise<void> {
    const erased = this.last.then(() => this.eraseNow(projectId, userIds));
    this.last = erased.catch(() => undefined);
    return erased;
  }

  clean(): Promise<boolean> {
    return this.parts.bytes.areGone();
  }

  private async eraseNow(projectId: string, userIds: readonly string[]): Promise<void> {
    const { writer, bytes, gate, settled, cutExports } = this.parts;
    // An event that came before the ids were blocked may still wait for its commit.
    await settled();
    await writer.erase(projectId, userIds, (work) => {
      // An export is a read of many statements.
      cutExports(projectId);
      return gate.alone(work);
    });
    cutExports(projectId);
    bytes.begin();
    await bytes.rewrite();
  }
}
