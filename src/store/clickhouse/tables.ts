import { type Layout, made, type Table } from "./table";

/**
 * The tables. Null is '' for a user, a session and a country, which ingestion never stores empty. Rows are only added:
 * of several with the same key the one of the latest commit holds, so that a read of several statements sees the state
 * of one commit. A group of requests is stored when its rows in `committed` are (writer/commit.ts).
 */

/** The tables whose rows name their commit. */
export const committedTables = [
  ...(["project", "user_link", "profile", "identity_edge", "email"] as const),
  ...(["received_day", "automated_day"] as const),
] as const;
export type CommittedTable = (typeof committedTables)[number];

const first: readonly Table[] = [
  // Public id -> number. A purge is another row without a number: what lies under the old one is removed later.
  {
    name: "project",
    columns: `
    name String, number UInt64, retained_from_ms Int64, commit UInt64`,
    engine: "MergeTree",
    order: "order by (name, commit)",
    isOfProjects: false,
  },
  // sender: a user id, and behind a byte that no text has, how often it was linked when the event came.
  // In properties what is no string, or empty, is JSON behind that byte, so that an absent key is told from all of it.
  {
    name: "event",
    columns: `
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
    index by_ticket ticket type minmax granularity 1`,
    engine: "MergeTree",
    order: `partition by toYYYYMM(time)
  order by (project, toDate(time), sender, session_id, time, ticket)`,
    settings: `index_granularity = 8192, map_serialization_version = 'with_buckets',
    map_buckets_min_avg_size = 0, map_buckets_strategy = 'constant', max_buckets_in_map = 32,
    map_serialization_version_for_zero_level_parts = 'basic'`,
    isOfProjects: true,
  },
  // A sender, whose events are of its owner; the parent is the sender that it was linked to.
  {
    name: "user_link",
    columns: `
    project UInt64, name String, generation UInt16, sender String, owner String,
    parent String, parent_generation UInt16, is_linked UInt8, commit UInt64 codec(Delta, ZSTD(1))`,
    engine: "MergeTree",
    order: "order by (project, sender, commit)",
    isOfProjects: true,
  },
  {
    name: "profile",
    columns: `
    project UInt64, sender String, traits String codec(ZSTD(3)), commit UInt64`,
    engine: "MergeTree",
    order: "order by (project, sender, commit)",
    isOfProjects: true,
  },
  {
    name: "identity_edge",
    columns: `
    project UInt64, membership String, user String, other String, is_there UInt8, commit UInt64`,
    engine: "MergeTree",
    order: "order by (project, membership, user, other, commit)",
    isOfProjects: true,
  },
  {
    name: "email",
    columns: `
    project UInt64, membership String, digest FixedString(32), user String, commit UInt64`,
    engine: "MergeTree",
    order: "order by (digest, project, membership, user)",
    isOfProjects: true,
  },
  {
    name: "received_day",
    columns: `
    project UInt64, date String, event_count UInt64, commit UInt64`,
    engine: "MergeTree",
    order: "order by (project, date, commit)",
    isOfProjects: true,
  },
  {
    name: "automated_day",
    columns: `
    project UInt64, date String, category LowCardinality(String), actor String,
    requests UInt64, dropped_events UInt64, last_seen_at Int64, commit UInt64`,
    engine: "MergeTree",
    order: "order by (project, date, category, actor, commit)",
    isOfProjects: true,
  },
  {
    name: "committed",
    columns: `
    name String, commit UInt64, last_ticket UInt64`,
    engine: "ReplacingMergeTree(commit)",
    order: "order by name",
    isOfProjects: false,
  },
  // Who writes: the latest row holds. Whoever finds another one there stops.
  {
    name: "writer",
    columns: `
    owner String, since UInt64`,
    engine: "MergeTree",
    order: "order by since",
    isOfProjects: false,
  },
  {
    name: "setting",
    columns: `
    name String, value String`,
    engine: "ReplacingMergeTree",
    order: "order by name",
    isOfProjects: false,
  },
];

const lease: Table = {
  name: "lease",
  columns: `
    owner String, renewals UInt64`,
  engine: "ReplacingMergeTree(renewals)",
  order: "order by owner",
  isPassing: true,
  isOfProjects: false,
};

const movedKey: Table = {
  name: "moved_key",
  columns: `
    key UInt64, accepted_at Int64`,
  engine: "MergeTree",
  order: "order by key",
  isOfProjects: false,
};

export const tablesOfProjects: ReadonlySet<string> = new Set(
  first.filter(({ isOfProjects }) => isOfProjects).map(({ name }) => name),
);

/** The tables of version 1. */
export const tables = (layout: Layout): readonly string[] =>
  first.flatMap((table) => made(table, layout));

/** Of version 2. How often its owner has renewed its lease: lost in a power cut it is only renewed again. */
export const leases = (layout: Layout): readonly string[] => made(lease, layout);

/** Of version 3. Idempotency keys that came with a move, whose events do not have them. */
export const movedKeys = (layout: Layout): readonly string[] => made(movedKey, layout);
