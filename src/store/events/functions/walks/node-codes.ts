import { eventsOutsidePaths } from "../../../../domain/event";
import { nodeCode } from "../../../shared/path-trees";
import { noNode, pageView } from "../../../shared/way";
import type { Integers } from "../../segment/codec";
import type { Segment } from "../../segment/segment";
import { stringText } from "../../segment/texts";
import type { Budget } from "../budget";
import type { SessionPages } from "../sessions/session-pages";

/** The code of no node: the column's code has not been looked up in this segment. */
const unasked = 0xffff_ffff;

/** Codes of the nodes that events are, the same in all segments. Pages have the numbers of sessions' pages, from 1. */
export class NodeCodes {
  private readonly names: string[] = [];
  private readonly known = new Map<string, number>();

  constructor(
    readonly pages: SessionPages,
    private readonly goal: string,
  ) {
    for (const name of eventsOutsidePaths) this.known.set(name, noNode);
    this.known.set("page_view", pageView);
    this.known.set(goal, this.goalCode);
  }

  get goalCode(): number {
    return nodeCode("goal", 1);
  }
  textOf(type: string, text: number): string {
    if (type === "goal") return this.goal;
    return type === "event" ? this.names[text - 1] : this.pages.name(text - 1);
  }
  codeOf(event: string): number {
    const known = this.known.get(event);
    if (known !== undefined) return known;
    const code = nodeCode("event", this.names.push(event));
    this.known.set(event, code);
    return code;
  }
  in(segment: Segment, budget: Budget): CodesOfRows {
    return new CodesOfRows(segment, this, budget);
  }
}

/** The code of each row of a segment. From its dictionaries only those texts are read that are asked for. */
export class CodesOfRows {
  private readonly eventCodes: Integers;
  private readonly pathCodes: Integers | null;
  private readonly ofEvents: Uint32Array;
  private readonly ofPaths: Uint32Array;
  private readonly nameAt: (index: number) => string | null;

  constructor(
    private readonly segment: Segment,
    private readonly nodes: NodeCodes,
    budget: Budget,
  ) {
    const { length, textAt } = segment.textReader("event.name");
    this.nameAt = textAt;
    this.eventCodes = segment.codes("event.name")!; // every event has a name
    this.pathCodes = segment.codes("property.path");
    const paths = this.pathCodes === null ? 0 : segment.texts("property.path").length;
    this.ofEvents = budget.words(length + 1).fill(unasked);
    this.ofPaths = budget.words(paths + 1).fill(unasked);
  }

  at(row: number): number {
    const name = this.eventCodes[row];
    let code = this.ofEvents[name];
    if (code === unasked) {
      code = this.nodes.codeOf(this.nameAt(name - 1) ?? "");
      this.ofEvents[name] = code;
    }
    return code === pageView ? this.pageAt(row) : code;
  }

  private pageAt(row: number): number {
    if (this.pathCodes === null) return noNode;
    const path = this.pathCodes[row];
    const known = this.ofPaths[path];
    if (known !== unasked) return known;
    const code = this.pageOf(path);
    this.ofPaths[path] = code;
    return code;
  }
  private pageOf(path: number): number {
    if (path === 0) return noNode;
    const { bytes, starts, kinds } = this.segment.texts("property.path");
    const [from, to] = starts.subarray(path - 1, path + 1);
    if (kinds[path - 1] !== stringText || from === to) return noNode;
    return nodeCode("page", 1 + this.nodes.pages.numberOf(bytes, from, to));
  }
}
