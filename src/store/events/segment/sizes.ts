import { questionBytesMax, segmentColumnsEventsMin } from "../../../domain/limits";

export const segmentPropertyColumnsMax = 256;
export const segmentEventsMax = 262_144;

/** Of a segment. Objects, so that tests can make everything happen with little data. */
export const segmentSizes = {
  /** With fewer events it stays rows; and a day with fewer shares a segment with the other days of its month. */
  columnEventsMin: segmentColumnsEventsMin,
  propertyColumnsMax: segmentPropertyColumnsMax,
};

/** Of a merge. */
export const mergeSizes = {
  /** Rows of a project that wait for compaction, in events. */
  waitingRowsMax: 2_048,
  /** For this long after rows of a project were merged … */
  rowsRestMs: 300,
  /** … more are gathered, up to this number of bytes: what is made of these is large enough to be left as it is. */
  rowsGatheredBytesMax: 20 * 1024 * 1024,
  /** Fewer rows become columns too when no more have come for this long. */
  rowsQuietMs: 15_000,
  /** Segments of like size are merged this many at a time. */
  fanIn: 8,
  /** No merge handles more events … */
  eventsMax: segmentEventsMax,
  /** … or more bytes before compression. Columns of half of it are left as they are. */
  bytesMax: 32 * 1024 * 1024,
};

/** Of what is noted about sessions that segments share. */
export const overlapSizes = {
  /** Projects with fewer segments are looked through in no time: nothing is noted about theirs. */
  segmentsMin: 16,
  /** Of more runs of a segment, those that lie nearest to each other are taken for one, with all between them. */
  runsMax: 256,
};

/** Of what readers keep from one read to the next. */
export const readingSizes = {
  /** A dictionary that is stored in more bytes is read apart from its column's codes, and as texts where possible. */
  dictionaryApartBytesMin: 16 * 1024,
  /** Smaller segments of the newest day will soon be merged into others. */
  settledEventsMin: 8_192,
  /** Of these, the ones with as many are merged last. */
  lowestLayerEventsMin: 2_048,
  /** When the cache has dropped this number of bytes, the segments of a question let go of what they hold of them. */
  droppedBytesMax: 32 * 1024 * 1024,
  /** Of the tables that a question makes, beside the cache. */
  questionBytesMax,
  /** When more events than these have settled, a table of sessions is made again rather than brought up to them. */
  takenInEventsMax: 65_536,
};
