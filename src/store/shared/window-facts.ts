import type { WindowFacts } from "../port";

const nothing: WindowFacts = {
  ...{ rows: 0, segments: 0, automatedRequests: 0, retainedFromMs: 0, hasImported: false },
};

/** Adds up the facts about the windows of several projects, as a receipt shows them. */
export const sumOfWindows = (windows: readonly WindowFacts[]): WindowFacts =>
  windows.reduce(
    (a, b) => ({
      rows: a.rows + b.rows,
      segments: a.segments + b.segments,
      automatedRequests: a.automatedRequests + b.automatedRequests,
      retainedFromMs: Math.max(a.retainedFromMs, b.retainedFromMs),
      hasImported: a.hasImported || b.hasImported,
    }),
    nothing,
  );
