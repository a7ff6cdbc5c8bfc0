/* The segments and the property over which a warm-up runs its functions. */

/** A warm-up segment has at most this number of events, so that a read never waits long for it. */
const warmedEventsMax = 131_072;
/** A warm-up segment has at most this number of bytes before compression, as few events may be large. */
const warmedSegmentBytesMax = 16 * 1024 * 1024;

/** Selects a few segments of columns from the project with the largest segment, and some segments of rows. */
const segmentsOf = (order: "asc" | "desc"): readonly string[] => [
  `select id, first_time, last_time from current_segment
    where encoding = 'columns' and event_count between 2048 and ${warmedEventsMax}
      and byte_count <= ${warmedSegmentBytesMax}
      and project_id = (select project_id from current_segment order by event_count desc limit 1)
    order by event_count ${order} limit 2`,
  `select id, first_time, last_time from current_segment
    where encoding = 'rows' and byte_count <= ${warmedSegmentBytesMax / 16}
      and project_id = (select max(project_id) from current_segment where encoding = 'rows')
    limit 4`,
];
export const forReads = {
  small: segmentsOf("asc"),
  all: segmentsOf("desc"),
};

/** The kinds of reads that a thread takes. */
export type Reads = keyof typeof forReads;

/** Selects the property whose dictionary has the most bytes, as it probably has the most values. */
export const PROPERTY_OF_MANY = `
  select name from segment_column
  where segment_id in (select value from json_each(:segments)) and name >= 'property.' and name < 'property/'
  order by length(dictionary) desc limit 1`;

export interface StoredProperty {
  readonly name: string;
}
export interface StoredSegment {
  readonly id: number;
  readonly first_time: number;
  readonly last_time: number;
}
