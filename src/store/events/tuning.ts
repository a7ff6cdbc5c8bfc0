import { oncePerValuesMax } from "../../domain/limits";

/**
 * Sizes at which the engine changes how it works, never what it answers: tests choose small ones, so that little data
 * makes everything happen.
 */
export interface Tuning {
  /** A segment with fewer events stays rows; a day with fewer shares a segment with its month's other days. */
  readonly columnEventsMin: number;
  readonly propertyColumnsMax: number;
  /** A segment with fewer events is decoded as fast as its counts would be read. */
  readonly countedEventsMin: number;

  /** The events in rows of a project that may wait for a merge. */
  readonly waitingRowsMax: number;
  /** For this long after rows of a project were merged … */
  readonly rowsRestMs: number;
  /** … more are gathered, up to this number of bytes: what is made of these is large enough to be left as it is. */
  readonly rowsGatheredBytesMax: number;
  /** Fewer rows become columns too when no more have come for this long. */
  readonly rowsQuietMs: number;
  /** Segments of like size are merged this many at a time. */
  readonly mergeFanIn: number;
  /** No merge handles more events … */
  readonly mergeEventsMax: number;
  /** … or more bytes before compression. Columns of half of it are left as they are. */
  readonly mergeBytesMax: number;

  /** Projects with fewer segments have no notes on the sessions that their segments share: they are searched fast. */
  readonly overlapSegmentsMin: number;
  /** If a segment has more runs than this, those nearest to each other count as one, with all between them. */
  readonly overlapRunsMax: number;

  /** A dictionary of more stored bytes is read apart from its column's codes, as texts where possible. */
  readonly dictionaryApartBytesMin: number;
  /** Smaller segments of the newest day will soon be merged into others. */
  readonly settledEventsMin: number;
  /** When the cache has dropped this number of bytes, the segments of a question let go of what they hold of them. */
  readonly droppedBytesMax: number;
  /** The bytes of one question's tables, beside the cache: groups, different values, users and sessions. */
  readonly questionBytesMax: number;
  /** What was let go of is collected when it is as much as this, and more is taken. */
  readonly garbageBytesMax: number;
  /** The bytes of the rows that passed a read's filters, about one for each event; of more they are found again. */
  readonly keptRowsBytesMax: number;
  /** The ways of this number of sessions of several visits are gathered at a time. */
  readonly gatheredSessionsMax: number;
  /** When more events than these have settled, a table of sessions is made again rather than brought up to them. */
  readonly absorbedEventsMax: number;
  /** With fewer events a day, hours are counted month by month. */
  readonly dailyEventsMin: number;
  /** The most different values of `once_per`; each takes some 60 bytes. */
  readonly oncePerValuesMax: number;
  /** With more ties than this, groups may have a cheaper order than one that needs every label. */
  readonly tiesMax: number;
  /** Up to here pairs of labels are looked up in an array (16 MB), beyond in a table of those that occur. */
  readonly pairArrayLengthMax: number;
  /** Up to here the codes of a column get their groups one by one, as fast as together. */
  readonly codesApartMax: number;
  /** The cache stores a date's users per value if each segment has at most this many values. */
  readonly keptUserValuesMax: number;

  /** A table of idempotency keys with this number of keys … */
  readonly keyTableKeysMax: number;
  /** … or of rows of the log is sealed. A start reads at most about two tables. */
  readonly keyTableRowsMax: number;
  /** Runs of like size are merged this number at a time. */
  readonly keyFanIn: number;
  readonly keyMemoryBytesMax: number;
}

/** The part of a thread's cache that the tables of one question may take beside it, where that is more than usual. */
const questionPartOfCache = 1 / 2;
/** The part that the rows may take which passed a read's filters, and which its questions share. */
const keptRowsPartOfCache = 1 / 4;
const garbagePartOfCache = 1 / 16;

/** The tuning of a thread with a cache of that many bytes: who has memory for a large project has some to count it. */
export const tuningWithCache = (cacheBytes: number): Tuning => ({
  ...usualTuning,
  questionBytesMax: Math.max(usualTuning.questionBytesMax, questionPartOfCache * cacheBytes),
  garbageBytesMax: Math.max(usualTuning.garbageBytesMax, garbagePartOfCache * cacheBytes),
  keptRowsBytesMax: Math.max(usualTuning.keptRowsBytesMax, keptRowsPartOfCache * cacheBytes),
});

/** A day with fewer shares a segment with the other days of its month. */
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
  // What is told is not all: with 128 MB a read over five million pages took 340 MB more at its highest than with 32.
  garbageBytesMax: 32 * 1024 * 1024,
  keptRowsBytesMax: 64 * 1024 * 1024,
  gatheredSessionsMax: 32_768,
  absorbedEventsMax: 65_536,
  dailyEventsMin: segmentColumnsEventsMin,
  oncePerValuesMax,
  tiesMax: 4_096,
  pairArrayLengthMax: 1 << 22,
  codesApartMax: 1_024,
  keptUserValuesMax: 1_024,
  keyTableKeysMax: 65_536,
  keyTableRowsMax: 8_192,
  keyFanIn: 8,
  keyMemoryBytesMax: 128 * 1024 * 1024,
};
