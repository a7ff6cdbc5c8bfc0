import { type Layout, made, type Table } from "./table";

/**
 * The tables. A user, a session or a country that is null is stored as '', which ingestion never stores otherwise. Rows
 * are only added: of several rows with the same key the one of the latest commit holds, so that a read of several
 * statements sees the state of one commit. A group of requests is stored when its rows in `committed` are
 * (writer/commit.ts).
 */

/** The tables whose rows name their commit. */
export const committedTables = [
  ...(["project", "user_link", "profile", "identity_edge", "email"] as const),
  ...(["received_day", "automated_day"] as const),
] as const;
export type CommittedTable = (typeof committedTables)[number];

const first: readonly Table[] = [
  // Maps a public id to a number. A purge adds a row without a number; rows under the old number are removed later.
  {
    name: "project",
    columns: `
    name String, number UInt64, retained_from_ms Int64, commit UInt64`,
    engine: "MergeTree",
    order: "order by (name, commit)",
    isOfProjects: false,
  },
  // A sender is a user id and, behind a byte that no text has, how often it had been linked when the event came.
  // A property that is empty or not a string is JSON behind that byte, so that it differs from an absent key.
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
  // The events of a sender belong to its owner; its parent is the sender that it was linked to.
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
  // The latest row names the process that writes. A process that finds another name there stops.
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

const erased: Table = {
  name: "erased",
  columns: `
    list String, kind LowCardinality(String), value String`,
  engine: "MergeTree",
  order: "order by (list, kind)",
  isOfProjects: false,
};

export const tablesOfProjects: ReadonlySet<string> = new Set(
  first.filter(({ isOfProjects }) => isOfProjects).map(({ name }) => name),
);

/** The tables of version 1. */
export const tables = (layout: Layout): readonly string[] =>
  first.flatMap((table) => made(table, layout));

/** The table of version 2 counts how often the writer has renewed its lease. A row lost in a power cut does no harm. */
export const leases = (layout: Layout): readonly string[] => made(lease, layout);

/** The table of version 3 holds the idempotency keys that came with a move, as the moved events do not have them. */
export const movedKeys = (layout: Layout): readonly string[] => made(movedKey, layout);

/** The table of version 4 has the ids of a person while their rows are deleted (writer/erased-list.ts). */
export const erasedLists = (layout: Layout): readonly string[] => made(erased, layout);
