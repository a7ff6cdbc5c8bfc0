import type { Segment } from "../segment/segment";
import { readingSizes } from "../segment/sizes";
import type { Context } from "./context";
import { mayShareWith } from "./related";
import { SessionLayer } from "./session-layer";
import type { SessionSource, Sessions } from "./sessions";

/** More than there are unless merges stand still; then all are laid anew. */
const layersMax = 16;

interface Laid {
  readonly layer: SessionLayer;
  readonly segments: readonly Segment[];
  /** What must be there for the layer to be true; null while it was not laid to its end. */
  restsOn: readonly string[] | null;
}

/**
 * Young segments over a table of sessions. Those that will stay longest lie lowest, so that for a few new events only
 * what came last is lifted off and laid anew.
 */
export class SessionLayers {
  private layers: Laid[] = [];

  constructor(
    private readonly sessions: Sessions,
    private readonly context: Context,
  ) {}

  /**
   * Makes the table what it would be had it been made with the young segments too. Returns the sessions that are not
   * what they were.
   */
  lay(young: SessionSource, settled: readonly Segment[]): ReadonlySet<number> {
    const present = new Set([...settled.map(({ key }) => key), ...placesOf(young)]);
    const isTrue = ({ restsOn }: Laid): boolean =>
      restsOn?.every((key) => present.has(key)) ?? false;
    const worn = this.layers.length > layersMax ? 0 : this.layers.findIndex((one) => !isTrue(one));
    const touched = worn < 0 ? new Set<number>() : this.liftFrom(worn);
    const known = new Set(this.layers.flatMap(({ segments }) => segments).map(({ key }) => key));
    const isNew = ({ key }: Segment): boolean => !known.has(key);
    for (const isOfLayer of lowestFirst) {
      const inside = young.inside.filter((one) => isNew(one) && isOfLayer(one));
      const others = young.others.filter((one) => isNew(one) && isOfLayer(one));
      if (inside.length + others.length > 0) this.layOne({ inside, others }, settled, touched);
    }
    return touched;
  }

  /** What is laid becomes part of the table. */
  settle(): void {
    this.layers = [];
  }

  private layOne(young: SessionSource, settled: readonly Segment[], touched: Set<number>): void {
    const segments = [...young.inside, ...young.others];
    const lower = this.layers.flatMap((one) => one.segments);
    const below = mayShareWith(segments, [...settled, ...lower]);
    const countBelow = this.sessions.count;
    const layer = new SessionLayer(this.sessions, this.context);
    const laid: Laid = { layer, segments, restsOn: null };
    // Should this be stopped halfway, the next one begins by lifting off what there is.
    this.layers.push(laid);
    layer.lay(young, below);
    // Lower layers are there as long as this one is.
    const isLower = new Set(lower);
    const settledBelow = below.filter((one) => !isLower.has(one)).map(({ key }) => key);
    laid.restsOn = [...placesOf(young), ...settledBelow];
    for (const n of layer.changed) touched.add(n);
    for (let n = countBelow + 1; n <= this.sessions.count; n++) touched.add(n);
  }

  private liftFrom(place: number): Set<number> {
    const touched = new Set<number>();
    while (this.layers.length > place) {
      const { layer } = this.layers.pop()!;
      layer.lift();
      for (const n of layer.changed) touched.add(n);
    }
    return touched;
  }
}

const isLarge = ({ info }: Segment): boolean =>
  info.encoding === "columns" && info.eventCount >= readingSizes.lowestLayerEventsMin;
const isRows = ({ info }: Segment): boolean => info.encoding === "rows";
/** The larger a segment, the later it is merged. */
const lowestFirst: readonly ((segment: Segment) => boolean)[] = [
  isLarge,
  (segment) => !isLarge(segment) && !isRows(segment),
  isRows,
];

const placesOf = ({ inside, others }: SessionSource): string[] => [
  ...inside.map(({ key }) => `${key} inside`),
  ...others.map(({ key }) => `${key} beside`),
];
