import { nonInteractiveEvents } from "../../../domain/event";
import { type Goal, isPlain, labelOf } from "../../../domain/goal";
import { nodeCode } from "../../shared/path-trees";
import { noNode, pageView, type Way } from "../../shared/way";
import type { GoalRows } from "../aggregate/goal-rows";
import type { Integers } from "../segment/codec";
import type { Segment } from "../segment/segment";
import { textReader } from "../segment/text-reader";
import { stringText, type Texts } from "../segment/texts";
import type { Budget } from "../sets/budget";
import { TextTable } from "../sets/text-table";
import type { Workspace } from "../sets/workspace";

/** Stands for a code of a column whose node is not known yet in this segment. */
const unresolved = 0xffff_ffff;
const noPage = 0;

/** The nodes of events as codes, the same in all segments. Pages have numbers from 1. */
export class NodeCodes {
  private readonly names: string[] = [];
  private readonly known = new Map<string, number>();
  private readonly pages: TextTable;

  constructor(
    { secret, budget }: Workspace,
    private readonly goal: Goal,
    /** Null if all events of a name are the goal. */
    private readonly goalRows: GoalRows | null,
  ) {
    this.pages = new TextTable(secret, budget);
    for (const name of nonInteractiveEvents) this.known.set(name, noNode);
    this.known.set("page_view", pageView);
    if (isPlain(goal)) this.known.set(goal.event, this.goalCode);
  }

  get goalCode(): number {
    return nodeCode("goal", 1);
  }
  textOf(type: string, text: number): string {
    if (type === "goal") return labelOf(this.goal);
    return type === "event" ? this.names[text - 1] : this.pages.text(text - 1);
  }
  pageOfText(text: string): number {
    return 1 + this.pages.numberOfText(text);
  }
  /** Returns the page of a text that lies in bytes, as in the `texts` of a segment. */
  pageOf(bytes: Uint8Array, from: number, to: number): number {
    return 1 + this.pages.numberOf(bytes, from, to);
  }
  codeOf(event: string): number {
    const known = this.known.get(event);
    if (known !== undefined) return known;
    const code = nodeCode("event", this.names.push(event));
    this.known.set(event, code);
    return code;
  }
  in(segment: Segment, budget: Budget): CodesOfRows {
    return new CodesOfRows(segment, this, budget, this.goalRows?.(segment).rows ?? null);
  }
}

/** The code and the page of each row of a segment. It reads only the texts of rows that a caller needs. */
export class CodesOfRows {
  private readonly firstRows: Uint32Array;
  private readonly names: Integers;
  private readonly ofNames: Uint32Array<ArrayBuffer>;
  private readonly nameAt: (index: number) => string | null;
  private readonly paths: PagesOfColumn;
  private knownUrls: PagesOfColumn | null = null; // most events have a path; then urls are never read

  constructor(
    readonly segment: Segment,
    private readonly nodes: NodeCodes,
    private readonly budget: Budget,
    /** The rows of a goal that has conditions besides its name; else null. */
    private readonly goalRows: Uint8Array | null,
  ) {
    this.firstRows = segment.firstRows;
    const { length, textAt } = textReader(segment, "event.name", false);
    this.nameAt = textAt;
    this.names = segment.codes("event.name")!; // every event has a name
    this.ofNames = budget.words(length + 1).fill(unresolved);
    this.paths = new PagesOfColumn(segment, "property.path", nodes, budget);
  }

  /** Gives its memory back. */
  giveBack(): void {
    this.budget.free(this.ofNames);
    this.paths.giveBack();
    this.knownUrls?.giveBack();
  }

  at(row: number): number {
    if (this.isMarked(row)) return this.nodes.goalCode;
    const code = this.ofName(row);
    if (code !== pageView) return code;
    const page = this.paths.at(row);
    return page === noPage ? noNode : nodeCode("page", page);
  }
  private isGoal(row: number): boolean {
    return this.isMarked(row) || this.ofName(row) === this.nodes.goalCode;
  }
  private isMarked(row: number): boolean {
    return this.goalRows?.[row] === 1;
  }
  /** Returns the code of the event's name, without its page. */
  private ofName(row: number): number {
    const name = this.names[row];
    let code = this.ofNames[name];
    if (code === unresolved) {
      code = this.nodes.codeOf(this.nameAt(name - 1) ?? "");
      this.ofNames[name] = code;
    }
    return code;
  }
  /** Returns the page of an event (definitions.md); 0 for none. */
  pageAt(row: number): number {
    const page = this.paths.at(row);
    if (page !== noPage) return page;
    this.knownUrls ??= new PagesOfColumn(this.segment, "property.url", this.nodes, this.budget);
    return this.knownUrls.at(row);
  }
  /**
   * Begins a way, and takes the events of a visit up to the end of the way; after a cut it only looks for the goal.
   * Returns the last page of the visit; 0 for none.
   */
  walk(visit: number, entry: number, way: Way): number {
    const { firstRows } = this;
    const from = firstRows[visit];
    const to = firstRows[visit + 1];
    way.begin(entry);
    let next = from;
    while (next < to && !way.take(this.at(next))) next++;
    for (; next < to && !way.isConverted; next++) way.isConverted = this.isGoal(next);
    let page = noPage;
    for (let row = to - 1; row >= from && page === noPage; row--) page = this.pageAt(row);
    return page;
  }
}

/** The page of each row by one column; 0 for none. */
class PagesOfColumn {
  private readonly codes: Integers | null;
  private readonly texts: Texts;
  private readonly ofCodes: Uint32Array<ArrayBuffer>;

  constructor(
    segment: Segment,
    column: string,
    private readonly nodes: NodeCodes,
    private readonly budget: Budget,
  ) {
    this.codes = segment.codes(column);
    this.texts = segment.texts(column);
    this.ofCodes = budget.words(this.texts.length + 1).fill(unresolved);
  }
  giveBack(): void {
    this.budget.free(this.ofCodes);
  }

  at(row: number): number {
    if (this.codes === null) return noPage;
    const code = this.codes[row];
    const known = this.ofCodes[code];
    if (known !== unresolved) return known;
    const page = this.pageOf(code);
    this.ofCodes[code] = page;
    return page;
  }
  private pageOf(code: number): number {
    if (code === 0) return noPage;
    const { bytes, starts, kinds } = this.texts;
    const isPage = kinds[code - 1] === stringText && starts[code - 1] !== starts[code];
    return isPage ? this.nodes.pageOf(bytes, starts[code - 1], starts[code]) : noPage;
  }
}
