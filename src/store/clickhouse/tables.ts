/**
 * The tables. Null is '' for a user, a session and a country, which ingestion never stores empty. Rows are only added:
 * of several with the same key the one of the latest commit holds, so that a read of several statements sees the state
 * of one commit. A group of requests is stored when its rows in `committed` are (writer/commit.ts).
 */
const deduplication = "non_replicated_deduplication_window = 10000";
/** What was acknowledged is on the disk. */
const durable = `${deduplication}, fsync_after_insert = 1, fsync_part_directory = 1`;

/** The tables whose rows name their commit. */
export const committedTables = [
  ...(["project", "user_link", "profile", "identity_edge", "email"] as const),
  ...(["received_day", "automated_day"] as const),
] as const;
export type CommittedTable = (typeof committedTables)[number];

/** The tables of version 1. */
export const tables = (database: string): readonly string[] => [
  // Public id -> number. A purge is another row without a number: what lies under the old one is removed later.
  `create table if not exists ${database}.project (
    name String, number UInt64, retained_from_ms Int64, commit UInt64
  ) engine = MergeTree order by (name, commit) settings ${durable}`,
  // sender: a user id, and behind a byte that no text has, how often it was linked when the event came.
  // In properties what is no string, or empty, is JSON behind that byte, so that an absent key is told from all of it.
  `create table if not exists ${database}.event (
    project        UInt64 codec(ZSTD(1)),
    time           DateTime64(3, 'UTC') codec(Delta, ZSTD(1)),
    ticket         UInt64 codec(Delta, ZSTD(1)),
    name           LowCardinality(String) codec(ZSTD(1)),
    sender         String codec(ZSTD(1)),
    session_id     String codec(ZSTD(1)),
    country        LowCardinality(String) codec(ZSTD(1)),
    path           LowCardinality(String) codec(ZSTD(1)),
    url            LowCardinality(String) codec(ZSTD(1)),
    referrer_host  LowCardinality(String) codec(ZSTD(1)),
    has_properties Bool codec(ZSTD(1)),
    properties     Map(LowCardinality(String), String) codec(ZSTD(1)),
    event_key      UInt64 codec(ZSTD(1)),
    index by_session session_id type bloom_filter(0.01) granularity 4,
    index by_ticket ticket type minmax granularity 1
  ) engine = MergeTree
  partition by toYYYYMM(time)
  order by (project, toDate(time), sender, session_id, time, ticket)
  settings ${durable}, index_granularity = 8192, map_serialization_version = 'with_buckets',
    map_buckets_min_avg_size = 0, map_buckets_strategy = 'constant', max_buckets_in_map = 32,
    map_serialization_version_for_zero_level_parts = 'basic'`,
  // A sender, whose events are of its owner; the parent is the sender that it was linked to.
  `create table if not exists ${database}.user_link (
    project UInt64, name String, generation UInt16, sender String, owner String,
    parent String, parent_generation UInt16, is_linked UInt8, commit UInt64 codec(Delta, ZSTD(1))
  ) engine = MergeTree order by (project, sender, commit) settings ${durable}`,
  `create table if not exists ${database}.profile (
    project UInt64, sender String, traits String codec(ZSTD(3)), commit UInt64
  ) engine = MergeTree order by (project, sender, commit) settings ${durable}`,
  `create table if not exists ${database}.identity_edge (
    project UInt64, membership String, user String, other String, is_there UInt8, commit UInt64
  ) engine = MergeTree order by (project, membership, user, other, commit) settings ${durable}`,
  `create table if not exists ${database}.email (
    project UInt64, membership String, digest FixedString(32), user String, commit UInt64
  ) engine = MergeTree order by (digest, project, membership, user) settings ${durable}`,
  `create table if not exists ${database}.received_day (
    project UInt64, date String, event_count UInt64, commit UInt64
  ) engine = MergeTree order by (project, date, commit) settings ${durable}`,
  `create table if not exists ${database}.automated_day (
    project UInt64, date String, category LowCardinality(String), actor String,
    requests UInt64, dropped_events UInt64, last_seen_at Int64, commit UInt64
  ) engine = MergeTree order by (project, date, category, actor, commit) settings ${durable}`,
  `create table if not exists ${database}.committed (
    name String, commit UInt64, last_ticket UInt64
  ) engine = ReplacingMergeTree(commit) order by name settings ${durable}`,
  // Who writes: the latest row holds. Whoever finds another one there stops.
  `create table if not exists ${database}.writer (
    owner String, since UInt64
  ) engine = MergeTree order by since settings ${durable}`,
  `create table if not exists ${database}.setting (
    name String, value String
  ) engine = ReplacingMergeTree order by name settings ${durable}`,
];

/** Of version 2. How often its owner has renewed its lease: lost in a power cut it is only renewed again. */
export const leases = (database: string): readonly string[] => [
  `create table if not exists ${database}.lease (
    owner String, renewals UInt64
  ) engine = ReplacingMergeTree(renewals) order by owner`,
];

/** Of version 3. Idempotency keys that came with a move, whose events do not have them. */
export const movedKeys = (database: string): readonly string[] => [
  `create table if not exists ${database}.moved_key (
    key UInt64, accepted_at Int64
  ) engine = MergeTree order by key settings ${durable}`,
];
