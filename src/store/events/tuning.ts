import { oncePerValuesMax } from "../../domain/limits";

/**
 * Sizes at which the engine changes its method. They never change an answer. Tests choose small sizes, so that little
 * data is enough to reach every method.
 */
export interface Tuning {
  /** A segment with fewer events stays rows. A day with fewer events shares a segment with other days of its month. */
  readonly columnEventsMin: number;
  readonly propertyColumnsMax: number;
  /** A segment with fewer events stores no counts: decoding its codes takes no longer than reading counts. */
  readonly countedEventsMin: number;

  /** The compactor merges the rows of a project when they have this number of events. */
  readonly waitingRowsMax: number;
  /** After a merge of a project's rows, the compactor lets more of them gather for this long … */
  readonly rowsRestMs: number;
  /** … or until they have this number of bytes: a segment of that size needs no further merge. */
  readonly rowsGatheredBytesMax: number;
  /** Fewer rows become columns as well if the project has received no more for this long. */
  readonly rowsQuietMs: number;
  /** The compactor merges this number of segments of similar size at a time. */
  readonly mergeFanIn: number;
  /** No merge handles more events … */
  readonly mergeEventsMax: number;
  /** … or more bytes before compression. A segment of columns with half as many bytes is merged no further. */
  readonly mergeBytesMax: number;

  /**
   * Projects with fewer segments have no notes on the sessions that their segments share: a search of all of them is
   * fast.
   */
  readonly overlapSegmentsMin: number;
  /** If a segment's note has more runs, the nearest ones become one run, which includes the segments between them. */
  readonly overlapRunsMax: number;

  /** A dictionary with more stored bytes is loaded separately from the codes of its column. */
  readonly dictionaryApartBytesMin: number;
  /** Smaller segments of the newest day will soon be merged into others. */
  readonly settledEventsMin: number;
  /**
   * When the cache has evicted this number of bytes, the segments of a question release their references to columns, so
   * that the evicted ones can be collected.
   */
  readonly droppedBytesMax: number;
  /** The limit of bytes for one question's tables outside the cache: groups, distinct values, users and sessions. */
  readonly questionBytesMax: number;
  /** When a question needs more memory and this number of bytes is garbage, the engine runs a collection first. */
  readonly garbageBytesMax: number;
  /**
   * The most bytes of the rows that passed the filters of a read, which take about one byte for each event. Beyond it,
   * the context does not store them, and each question of the read applies its filters again.
   */
  readonly passingRowsBytesMax: number;
  /** Path questions collect the ways of this number of sessions with several visits at a time. */
  readonly gatheredSessionsMax: number;
  /** If more events than this are new, a table of sessions is built again rather than extended. */
  readonly absorbedEventsMax: number;
  /** If a day has fewer events on average, hours are counted month by month. */
  readonly dailyEventsMin: number;
  /** The limit of distinct values of `once_per`; each takes some 60 bytes. */
  readonly oncePerValuesMax: number;
  /** If more groups than this are tied, a method that does not compute every label finds the first ones. */
  readonly tiesMax: number;
  /** Up to this number of possible pairs of codes, an array (16 MB) numbers them; beyond it, a hash table does. */
  readonly pairArrayLengthMax: number;
  /**
   * The cache stores a date's users for every value if neither the periods nor a segment have more values than this;
   * if the periods have more, for the largest values alone.
   */
  readonly cachedUserValuesMax: number;

  /** A table of idempotency keys is sealed when it has this number of keys … */
  readonly keyTableKeysMax: number;
  /** … or this number of rows of the log. So a start reads at most about two tables. */
  readonly keyTableRowsMax: number;
  /** This number of runs of similar size is merged at a time. */
  readonly keyFanIn: number;
  readonly keyMemoryBytesMax: number;
}

/** These limits are the usual ones, or these parts of a thread's cache if they are more. */
const questionPartOfCache = 1 / 2;
const passingRowsPartOfCache = 1 / 4;
const garbagePartOfCache = 1 / 16;

/** Returns the tuning of a thread whose cache has this number of bytes: a larger cache allows larger tables. */
export const tuningWithCache = (cacheBytes: number): Tuning => ({
  ...usualTuning,
  questionBytesMax: Math.max(usualTuning.questionBytesMax, questionPartOfCache * cacheBytes),
  garbageBytesMax: Math.max(usualTuning.garbageBytesMax, garbagePartOfCache * cacheBytes),
  passingRowsBytesMax: Math.max(
    usualTuning.passingRowsBytesMax,
    passingRowsPartOfCache * cacheBytes,
  ),
});

const segmentColumnsEventsMin = 512;

export const usualTuning: Tuning = {
  columnEventsMin: segmentColumnsEventsMin,
  propertyColumnsMax: 256,
  countedEventsMin: 8_192,
  waitingRowsMax: 2_048,
  rowsRestMs: 300,
  rowsGatheredBytesMax: 20 * 1024 * 1024,
  rowsQuietMs: 15_000,
  mergeFanIn: 8,
  mergeEventsMax: 262_144,
  mergeBytesMax: 32 * 1024 * 1024,
  overlapSegmentsMin: 16,
  overlapRunsMax: 256,
  dictionaryApartBytesMin: 4 * 1024,
  settledEventsMin: 8_192,
  droppedBytesMax: 32 * 1024 * 1024,
  questionBytesMax: 600 * 1024 * 1024,
  // The budget does not count all garbage. With a limit of 128 MB instead of 32, a read over five million pages took
  // 340 MB more at its peak.
  garbageBytesMax: 32 * 1024 * 1024,
  passingRowsBytesMax: 64 * 1024 * 1024,
  gatheredSessionsMax: 32_768,
  absorbedEventsMax: 65_536,
  dailyEventsMin: segmentColumnsEventsMin,
  oncePerValuesMax,
  tiesMax: 4_096,
  pairArrayLengthMax: 1 << 22,
  cachedUserValuesMax: 1_024,
  keyTableKeysMax: 65_536,
  keyTableRowsMax: 8_192,
  keyFanIn: 8,
  keyMemoryBytesMax: 128 * 1024 * 1024,
};
