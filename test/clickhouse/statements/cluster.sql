-- Version 1

create table if not exists sightline.project on cluster 'main' (
    name String, number UInt64, retained_from_ms Int64, commit UInt64
  ) engine = ReplicatedMergeTree('/clickhouse/tables/sightline/project/all', '{shard}-{replica}')
  order by (name, commit)
  settings replicated_deduplication_window = 10000, replicated_deduplication_window_seconds = 604800,
    fsync_after_insert = 1, fsync_part_directory = 1, min_compressed_bytes_to_fsync_after_fetch = 1;

create table if not exists sightline.event_local on cluster 'main' (
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
  ) engine = ReplicatedMergeTree('/clickhouse/tables/sightline/event/{shard}', '{replica}')
  partition by toYYYYMM(time)
  order by (project, toDate(time), sender, session_id, time, ticket)
  settings replicated_deduplication_window = 10000, replicated_deduplication_window_seconds = 604800,
    fsync_after_insert = 1, fsync_part_directory = 1, min_compressed_bytes_to_fsync_after_fetch = 1,
    index_granularity = 8192, map_serialization_version = 'with_buckets',
    map_buckets_min_avg_size = 0, map_buckets_strategy = 'constant', max_buckets_in_map = 32,
    map_serialization_version_for_zero_level_parts = 'basic';

create table if not exists sightline.event on cluster 'main' as sightline.event_local
  engine = Distributed('main', 'sightline', 'event_local', project);

create table if not exists sightline.user_link_local on cluster 'main' (
    project UInt64, name String, generation UInt16, sender String, owner String,
    parent String, parent_generation UInt16, is_linked UInt8, commit UInt64 codec(Delta, ZSTD(1))
  ) engine = ReplicatedMergeTree('/clickhouse/tables/sightline/user_link/{shard}', '{replica}')
  order by (project, sender, commit)
  settings replicated_deduplication_window = 10000, replicated_deduplication_window_seconds = 604800,
    fsync_after_insert = 1, fsync_part_directory = 1, min_compressed_bytes_to_fsync_after_fetch = 1;

create table if not exists sightline.user_link on cluster 'main' as sightline.user_link_local
  engine = Distributed('main', 'sightline', 'user_link_local', project);

create table if not exists sightline.profile_local on cluster 'main' (
    project UInt64, sender String, traits String codec(ZSTD(3)), commit UInt64
  ) engine = ReplicatedMergeTree('/clickhouse/tables/sightline/profile/{shard}', '{replica}')
  order by (project, sender, commit)
  settings replicated_deduplication_window = 10000, replicated_deduplication_window_seconds = 604800,
    fsync_after_insert = 1, fsync_part_directory = 1, min_compressed_bytes_to_fsync_after_fetch = 1;

create table if not exists sightline.profile on cluster 'main' as sightline.profile_local
  engine = Distributed('main', 'sightline', 'profile_local', project);

create table if not exists sightline.identity_edge_local on cluster 'main' (
    project UInt64, membership String, user String, other String, is_there UInt8, commit UInt64
  ) engine = ReplicatedMergeTree('/clickhouse/tables/sightline/identity_edge/{shard}', '{replica}')
  order by (project, membership, user, other, commit)
  settings replicated_deduplication_window = 10000, replicated_deduplication_window_seconds = 604800,
    fsync_after_insert = 1, fsync_part_directory = 1, min_compressed_bytes_to_fsync_after_fetch = 1;

create table if not exists sightline.identity_edge on cluster 'main' as sightline.identity_edge_local
  engine = Distributed('main', 'sightline', 'identity_edge_local', project);

create table if not exists sightline.email_local on cluster 'main' (
    project UInt64, membership String, digest FixedString(32), user String, commit UInt64
  ) engine = ReplicatedMergeTree('/clickhouse/tables/sightline/email/{shard}', '{replica}')
  order by (digest, project, membership, user)
  settings replicated_deduplication_window = 10000, replicated_deduplication_window_seconds = 604800,
    fsync_after_insert = 1, fsync_part_directory = 1, min_compressed_bytes_to_fsync_after_fetch = 1;

create table if not exists sightline.email on cluster 'main' as sightline.email_local
  engine = Distributed('main', 'sightline', 'email_local', project);

create table if not exists sightline.received_day_local on cluster 'main' (
    project UInt64, date String, event_count UInt64, commit UInt64
  ) engine = ReplicatedMergeTree('/clickhouse/tables/sightline/received_day/{shard}', '{replica}')
  order by (project, date, commit)
  settings replicated_deduplication_window = 10000, replicated_deduplication_window_seconds = 604800,
    fsync_after_insert = 1, fsync_part_directory = 1, min_compressed_bytes_to_fsync_after_fetch = 1;

create table if not exists sightline.received_day on cluster 'main' as sightline.received_day_local
  engine = Distributed('main', 'sightline', 'received_day_local', project);

create table if not exists sightline.automated_day_local on cluster 'main' (
    project UInt64, date String, category LowCardinality(String), actor String,
    requests UInt64, dropped_events UInt64, last_seen_at Int64, commit UInt64
  ) engine = ReplicatedMergeTree('/clickhouse/tables/sightline/automated_day/{shard}', '{replica}')
  order by (project, date, category, actor, commit)
  settings replicated_deduplication_window = 10000, replicated_deduplication_window_seconds = 604800,
    fsync_after_insert = 1, fsync_part_directory = 1, min_compressed_bytes_to_fsync_after_fetch = 1;

create table if not exists sightline.automated_day on cluster 'main' as sightline.automated_day_local
  engine = Distributed('main', 'sightline', 'automated_day_local', project);

create table if not exists sightline.committed on cluster 'main' (
    name String, commit UInt64, last_ticket UInt64
  ) engine = ReplicatedReplacingMergeTree('/clickhouse/tables/sightline/committed/all', '{shard}-{replica}', commit)
  order by name
  settings replicated_deduplication_window = 10000, replicated_deduplication_window_seconds = 604800,
    fsync_after_insert = 1, fsync_part_directory = 1, min_compressed_bytes_to_fsync_after_fetch = 1;

create table if not exists sightline.writer on cluster 'main' (
    owner String, since UInt64
  ) engine = ReplicatedMergeTree('/clickhouse/tables/sightline/writer/all', '{shard}-{replica}')
  order by since
  settings replicated_deduplication_window = 10000, replicated_deduplication_window_seconds = 604800,
    fsync_after_insert = 1, fsync_part_directory = 1, min_compressed_bytes_to_fsync_after_fetch = 1;

create table if not exists sightline.setting on cluster 'main' (
    name String, value String
  ) engine = ReplicatedReplacingMergeTree('/clickhouse/tables/sightline/setting/all', '{shard}-{replica}')
  order by name
  settings replicated_deduplication_window = 10000, replicated_deduplication_window_seconds = 604800,
    fsync_after_insert = 1, fsync_part_directory = 1, min_compressed_bytes_to_fsync_after_fetch = 1;

-- Version 2

create table if not exists sightline.lease on cluster 'main' (
    owner String, renewals UInt64
  ) engine = ReplicatedReplacingMergeTree('/clickhouse/tables/sightline/lease/all', '{shard}-{replica}', renewals)
  order by owner
  settings replicated_deduplication_window = 10000, replicated_deduplication_window_seconds = 604800;

-- Version 3

create table if not exists sightline.moved_key on cluster 'main' (
    key UInt64, accepted_at Int64
  ) engine = ReplicatedMergeTree('/clickhouse/tables/sightline/moved_key/all', '{shard}-{replica}')
  order by key
  settings replicated_deduplication_window = 10000, replicated_deduplication_window_seconds = 604800,
    fsync_after_insert = 1, fsync_part_directory = 1, min_compressed_bytes_to_fsync_after_fetch = 1;

-- Version 4

create table if not exists sightline.erased on cluster 'main' (
    list String, kind LowCardinality(String), value String
  ) engine = ReplicatedMergeTree('/clickhouse/tables/sightline/erased/all', '{shard}-{replica}')
  order by (list, kind)
  settings replicated_deduplication_window = 10000, replicated_deduplication_window_seconds = 604800,
    fsync_after_insert = 1, fsync_part_directory = 1, min_compressed_bytes_to_fsync_after_fetch = 1;
