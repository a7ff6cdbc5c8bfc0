import type { PathsRequest } from "../../domain/counting";
import { nodeCode } from "./path-trees";

/** What an event is to a way: the code of its node, or one of these. */
export const noNode = 0;
/** Its node is the page that it has. Codes of nodes are larger. */
export const pageView = 1;

/** The way of one session after another: nodes from its entry page up to the goal, the bound, or its end. */
export class Way {
  readonly nodes: Uint32Array;
  length = 0;
  /** Tells whether the session has the goal, also behind the end of the way. */
  isConverted = false;
  private entry = 0;
  private isOver = false;

  /** `goal` is the code of the goal's node. */
  constructor(
    private readonly goal: number,
    private readonly stepsMax: PathsRequest["max_steps"],
  ) {
    this.nodes = new Uint32Array(stepsMax + 1);
  }

  begin(entryPage: number): void {
    this.entry = nodeCode("page", entryPage);
    this.length = 0;
    this.isOver = false;
    this.isConverted = false;
  }
  /** Takes the next event. True when nothing that comes later belongs to the way. */
  take(code: number): boolean {
    if (code === noNode || code === this.entry || this.isLast(code)) return this.isOver;
    // The bound is told by a node that would be one more: a way of just as many ends by itself.
    if (this.length < this.stepsMax) this.nodes[this.length] = code;
    this.length++;
    if (code === this.goal) this.isConverted = true;
    this.isOver = this.length > this.stepsMax || this.isConverted;
    return this.isOver;
  }
  /** The nodes that it has so far, without one beyond the bound. */
  get taken(): Uint32Array {
    return this.nodes.slice(0, Math.min(this.length, this.stepsMax));
  }
  /** Ends the way where the session does, or where it was cut. */
  end(exitPage: number): void {
    const { length, nodes, stepsMax } = this;
    const isCut = length > stepsMax;
    if (!isCut && length > 0 && nodes[length - 1] === this.goal) return;
    nodes[isCut ? stepsMax : length] = nodeCode(isCut ? "truncated" : "drop_off", exitPage);
    this.length = isCut ? stepsMax + 1 : length + 1;
  }

  private isLast(code: number): boolean {
    return this.length > 0 && this.nodes[this.length - 1] === code;
  }
}
