import type { PathsRequest } from "../../../../domain/counting";
import { nonInteractiveEvents } from "../../../../domain/event";
import type { PathNode } from "../../../questions";
import type { Context } from "../context";
import type { Sessions } from "../sessions/sessions";

interface PathStep {
  readonly timeMs: number;
  readonly ticket: number;
  readonly event: string;
  readonly path: string | null;
}

/** The events of the chosen sessions in order of (time, ticket). Cost: their events, in segments that have any. */
export function stepsOfSessions(
  context: Context,
  sessions: Sessions,
  chosen: readonly number[],
): Map<number, PathStep[]> {
  const steps = new Map(chosen.map((n): [number, PathStep[]] => [n, []]));
  for (const segment of sessions.segmentIds.map(context.open)) {
    context.check();
    const numbers = sessions.numbersIn(segment.id);
    const { firstRows } = segment;
    for (let v = 0; v < numbers.length; v++) {
      const list = steps.get(numbers[v]);
      if (list === undefined) continue;
      const events = segment.dictionary("event.name");
      const codes = segment.codes("event.name");
      const paths = segment.dictionary("property.path");
      const pathCodes = segment.codes("property.path");
      for (let row = firstRows[v]; row < firstRows[v + 1]; row++) {
        const path = paths[(pathCodes?.[row] ?? 0) - 1];
        list.push({
          timeMs: segment.timeAt(row),
          ticket: segment.ticketAt(row),
          event: String(events[(codes?.[row] ?? 0) - 1]),
          path: typeof path === "string" && path !== "" ? path : null,
        });
      }
    }
  }
  for (const list of steps.values())
    list.sort((a, b) => a.timeMs - b.timeMs || a.ticket - b.ticket);
  return steps;
}

/** The nodes of one session up to the goal, the bound, or its end. */
export function nodesOf(
  steps: readonly PathStep[],
  entryPage: string,
  exitPage: string | null,
  { goal_event: goal, max_steps: stepsMax }: PathsRequest,
): readonly PathNode[] {
  const nodes: PathNode[] = [];
  const endedAs = (type: "truncated" | "drop_off"): PathNode[] => [
    ...nodes,
    { type, value: exitPage ?? "unknown", exit_page: exitPage },
  ];
  for (const step of steps) {
    const node = nodeOf(step, goal, entryPage);
    const last = nodes.at(-1);
    if (node === null || (last?.type === node.type && last.value === node.value)) continue;
    if (nodes.length === stepsMax) return endedAs("truncated");
    nodes.push(node);
    if (node.type === "goal") return nodes;
  }
  return endedAs("drop_off");
}

function nodeOf({ event, path }: PathStep, goal: string, entryPage: string): PathNode | null {
  if (event === goal) return { type: "goal", value: event };
  if (event === "page_view") {
    return path === null || path === entryPage ? null : { type: "page", value: path };
  }
  return nonInteractiveEvents.has(event) ? null : { type: "event", value: event };
}
