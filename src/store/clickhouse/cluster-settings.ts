/*
 * A cluster acknowledges what most replicas of a shard have.
 * Decision: an insert waits for a majority of the replicas of its shard, one insert into a table at a time, and a
 * replica answers a read only when it has all of these inserts. Rows go through Distributed tables, whose key is the
 * project: joins stay in its shard.
 * Because: a replica that is lost then has nothing that the others lack, and no replica answers without it.
 * Cost: nothing is stored while a majority of a shard's replicas, or their Keeper, is away; a replica that is behind
 * refuses reads. Rows that a statement of several levels reads in another shard travel to the server that was asked.
 * Revisit: when a shard's rows are too many to travel; then reads are sent to a server of the shard.
 */

import { secondMs } from "../../lib/clock";

export type Settings = Readonly<Record<string, string | number>>;

/** This is less than an insert may take, so that ClickHouse still answers whether the quorum was reached. */
const quorumMs = 8 * secondMs;
/** A statement on all servers may take this long: longer than an insert that it may have to wait for. */
const everywhereMs = 12 * secondMs;

/** Every statement to a cluster has these settings. A single server has no use for them. */
export const clusterSettings: Settings = {
  insert_quorum: "auto",
  // Reads notice that a replica lacks an insert only if inserts are made one after the other.
  insert_quorum_parallel: 0,
  insert_quorum_timeout: quorumMs,
  select_sequential_consistency: 1,
  // An insert is answered when the shards have it, and not while it waits on the disk of the server that took it.
  distributed_foreground_insert: 1,
  // A table that is joined to events, or from which a list is selected, is read in the same shard.
  distributed_product_mode: "local",
  optimize_skip_unused_shards: 1,
  distributed_ddl_task_timeout: everywhereMs / secondMs,
  // A deletion waits for the server that executes it; removeRows looks at all servers afterwards.
  lightweight_deletes_sync: 1,
};
