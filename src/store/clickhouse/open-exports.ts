import { ApiError } from "../../domain/errors";
import type { Export, ExportStream } from "../exports";
import { exportSourceOf } from "./export";
import type { OpenRead } from "./sql/open-read";

/** The exports that are open. */
export class OpenExports {
  /** Each export with its input, which names its projects. */
  private readonly open = new Map<ExportStream, string>();

  get isEmpty(): boolean {
    return this.open.size === 0;
  }

  start<Input>(
    openRead: (signal: AbortSignal) => OpenRead,
    what: Export<Input>,
    input: Input,
  ): ExportStream {
    const ended = new AbortController();
    const pieces = what.run(exportSourceOf(openRead(ended.signal)), input)[Symbol.asyncIterator]();
    const stream: ExportStream = {
      next: async () => {
        if (ended.signal.aborted) throw brokenOff();
        const { done = false, value } = await pieces.next().catch(() => {
          throw brokenOff();
        });
        return done ? null : value;
      },
      close: () => {
        ended.abort();
        this.open.delete(stream);
      },
    };
    this.open.set(stream, JSON.stringify(input));
    return stream;
  }

  /** Ends the exports of a project: their clients see that the files are not complete. */
  cut(projectId: string): void {
    for (const [stream, named] of this.open) if (named.includes(projectId)) stream.close();
  }
  close(): void {
    for (const stream of this.open.keys()) stream.close();
  }
}

const brokenOff = (): ApiError =>
  new ApiError("UNAVAILABLE", "The export ended before it was complete. Request it again.", {
    retry_after_seconds: 1,
  });
