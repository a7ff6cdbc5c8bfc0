-- Version 1

create table if not exists sightline.project (
    name String, number UInt64, retained_from_ms Int64, commit UInt64
  ) engine = MergeTree
  order by (name, commit)
  settings non_replicated_deduplication_window = 10000, fsync_after_insert = 1, fsync_part_directory = 1;

create table if not exists sightline.event (
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
  settings non_replicated_deduplication_window = 10000, fsync_after_insert = 1, fsync_part_directory = 1,
    index_granularity = 8192, map_serialization_version = 'with_buckets',
    map_buckets_min_avg_size = 0, map_buckets_strategy = 'constant', max_buckets_in_map = 32,
    map_serialization_version_for_zero_level_parts = 'basic';

create table if not exists sightline.user_link (
    project UInt64, name String, generation UInt16, sender String, owner String,
    parent String, parent_generation UInt16, is_linked UInt8, commit UInt64 codec(Delta, ZSTD(1))
  ) engine = MergeTree
  order by (project, sender, commit)
  settings non_replicated_deduplication_window = 10000, fsync_after_insert = 1, fsync_part_directory = 1;

create table if not exists sightline.profile (
    project UInt64, sender String, traits String codec(ZSTD(3)), commit UInt64
  ) engine = MergeTree
  order by (project, sender, commit)
  settings non_replicated_deduplication_window = 10000, fsync_after_insert = 1, fsync_part_directory = 1;

create table if not exists sightline.identity_edge (
    project UInt64, membership String, user String, other String, is_there UInt8, commit UInt64
  ) engine = MergeTree
  order by (project, membership, user, other, commit)
  settings non_replicated_deduplication_window = 10000, fsync_after_insert = 1, fsync_part_directory = 1;

create table if not exists sightline.email (
    project UInt64, membership String, digest FixedString(32), user String, commit UInt64
  ) engine = MergeTree
  order by (digest, project, membership, user)
  settings non_replicated_deduplication_window = 10000, fsync_after_insert = 1, fsync_part_directory = 1;

create table if not exists sightline.received_day (
    project UInt64, date String, event_count UInt64, commit UInt64
  ) engine = MergeTree
  order by (project, date, commit)
  settings non_replicated_deduplication_window = 10000, fsync_after_insert = 1, fsync_part_directory = 1;

create table if not exists sightline.automated_day (
    project UInt64, date String, category LowCardinality(String), actor String,
    requests UInt64, dropped_events UInt64, last_seen_at Int64, commit UInt64
  ) engine = MergeTree
  order by (project, date, category, actor, commit)
  settings non_replicated_deduplication_window = 10000, fsync_after_insert = 1, fsync_part_directory = 1;

create table if not exists sightline.committed (
    name String, commit UInt64, last_ticket UInt64
  ) engine = ReplacingMergeTree(commit)
  order by name
  settings non_replicated_deduplication_window = 10000, fsync_after_insert = 1, fsync_part_directory = 1;

create table if not exists sightline.writer (
    owner String, since UInt64
  ) engine = MergeTree
  order by since
  settings non_replicated_deduplication_window = 10000, fsync_after_insert = 1, fsync_part_directory = 1;

create table if not exists sightline.setting (
    name String, value String
  ) engine = ReplacingMergeTree
  order by name
  settings non_replicated_deduplication_window = 10000, fsync_after_insert = 1, fsync_part_directory = 1;

-- Version 2

create table if not exists sightline.lease (
    owner String, renewals UInt64
  ) engine = ReplacingMergeTree(renewals)
  order by owner;

-- Version 3

create table if not exists sightline.moved_key (
    key UInt64, accepted_at Int64
  ) engine = MergeTree
  order by key
  settings non_replicated_deduplication_window = 10000, fsync_after_insert = 1, fsync_part_directory = 1;

-- Version 4

create table if not exists sightline.erased (
    list String, kind LowCardinality(String), value String
  ) engine = MergeTree
  order by (list, kind)
  settings non_replicated_deduplication_window = 10000, fsync_after_insert = 1, fsync_part_directory = 1;
