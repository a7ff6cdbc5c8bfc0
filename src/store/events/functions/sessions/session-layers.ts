import type { Segment } from "../../segment/segment";
import type { Workspace } from "../workspace";
import type { JudgedSessions, SessionSource } from "./judged-sessions";
import type { SessionColumns } from "./session-columns";
import { SessionLayer } from "./session-layer";
import { mayShareWith } from "./session-overlap";

/** The most layers, of which there are fewer unless merges stand still; beyond this number all are applied again. */
const layersMax = 16;

interface AppliedLayer {
  readonly layer: SessionLayer;
  /** The keys of its segments, which themselves hold columns and are released after a statement. */
  readonly keys: readonly string[];
  /** What must be there for the layer to be true; null while it was not applied to its end. */
  restsOn: readonly string[] | null;
}

/**
 * Young segments over a table of sessions. Those that stay longest are applied first, so that for a few new events only
 * what came last is reverted and applied again.
 */
export class SessionLayers {
  private layers: AppliedLayer[] = [];

  constructor(
    private readonly sessions: JudgedSessions,
    private readonly workspace: Workspace,
  ) {}

  get bytes(): number {
    return this.layers.reduce((sum, { layer }) => sum + layer.bytes, 0);
  }

  /**
   * Makes the table what it would be had it been made with the young segments too. Returns the sessions that are not
   * what they were, of which some may be named several times.
   */
  apply(young: SessionSource, settled: readonly Segment[]): readonly number[] {
    const present = new Set([...settled, ...young.inside, ...young.others].map(({ key }) => key));
    const isTrue = ({ restsOn }: AppliedLayer): boolean =>
      restsOn?.every((key) => present.has(key)) ?? false;
    const worn = this.layers.length > layersMax ? 0 : this.layers.findIndex((one) => !isTrue(one));
    const touched = worn < 0 ? [] : this.revertFrom(worn);
    const known = new Set(this.layers.flatMap(({ keys }) => keys));
    const isNew = ({ key }: Segment): boolean => !known.has(key);
    const lower = [...young.inside, ...young.others].filter((one) => !isNew(one));
    for (const isOfLayer of lowestFirst(this.workspace.tuning.lowestLayerEventsMin)) {
      const inside = young.inside.filter((one) => isNew(one) && isOfLayer(one));
      const others = young.others.filter((one) => isNew(one) && isOfLayer(one));
      const segments = [...inside, ...others];
      if (segments.length === 0) continue;
      const below = mayShareWith(segments, [...settled, ...lower]);
      this.applyOne({ inside, others }, below, touched);
      lower.push(...segments);
    }
    return touched;
  }

  /**
   * Fills columns that the table has had none of: `fillFrom` takes the segments below all layers into them, then each
   * layer adds to them, as if they had been there before.
   */
  fill(columns: SessionColumns, fillFrom: (segmentIds: readonly number[]) => void): void {
    const layers = this.layers.map(({ layer }) => layer);
    const { segmentIds } = this.sessions;
    const [lowest] = layers;
    for (const layer of layers) layer.hide();
    try {
      fillFrom(lowest === undefined ? segmentIds : segmentIds.slice(0, lowest.segmentsBelow));
      for (const layer of layers) {
        layer.show();
        layer.addTo(columns);
      }
    } catch (error) {
      for (const layer of layers) {
        layer.show();
        layer.forget(columns);
      }
      throw error;
    }
  }

  /** What is applied becomes part of the table. */
  settle(): void {
    this.layers = [];
  }

  private applyOne(young: SessionSource, below: readonly Segment[], touched: number[]): void {
    const countBelow = this.sessions.count;
    const layer = new SessionLayer(this.sessions, this.workspace);
    const keys = [...young.inside, ...young.others].map(({ key }) => key);
    const applied: AppliedLayer = { layer, keys, restsOn: null };
    // Should this be stopped halfway, the next one begins by reverting what there is.
    this.layers.push(applied);
    layer.apply(young, below);
    applied.restsOn = [...keys, ...below.map(({ key }) => key)];
    for (const n of layer.changed) touched.push(n);
    for (let n = countBelow + 1; n <= this.sessions.count; n++) touched.push(n);
  }

  private revertFrom(place: number): number[] {
    const touched: number[] = [];
    while (this.layers.length > place) {
      const { layer } = this.layers.pop()!;
      layer.revert();
      for (const n of layer.changed) touched.push(n);
    }
    return touched;
  }
}

/** The larger a segment, the later it is merged. */
function lowestFirst(lowestEventsMin: number): readonly ((segment: Segment) => boolean)[] {
  const isLarge = ({ info }: Segment): boolean =>
    info.encoding === "columns" && info.eventCount >= lowestEventsMin;
  const isRows = ({ info }: Segment): boolean => info.encoding === "rows";
  return [isLarge, (segment) => !isLarge(segment) && !isRows(segment), isRows];
}
