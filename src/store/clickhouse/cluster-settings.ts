/*
 * What is acknowledged by a cluster is on most replicas.
 * Decision: an insert waits for a majority of the replicas of its shard, one insert into a table at a time, and each
 * read for what was stored so. Rows go through Distributed tables, whose key is the project: joins stay in its shard.
 * Because: a replica that is lost has then nothing that the others do not have, and no replica answers without it.
 * Cost: nothing is stored while a majority of a shard's replicas, or their Keeper, is away; a replica that is behind
 * refuses reads. Rows that a statement of several levels reads in another shard travel to the server that was asked.
 * Revisit: when a shard's rows are too many to travel; then reads are sent to a server of the shard.
 */

import { secondMs } from "../../lib/clock";

export type Settings = Readonly<Record<string, string | number>>;

/** Less than an insert may take: its end is then known, or that it is not. */
const quorumMs = 8 * secondMs;
/** Of a statement on all servers; it is longer than an insert may take that goes on meanwhile. */
const everywhereMs = 12 * secondMs;

/** Of every statement to a cluster. A server alone has no use for them. */
export const clusterSettings: Settings = {
  insert_quorum: "auto",
  // Only inserts one after the other let reads see that a replica lacks one.
  insert_quorum_parallel: 0,
  insert_quorum_timeout: quorumMs,
  select_sequential_consistency: 1,
  // An insert is answered when each shard has it, and not when it waits on the asked server's disk.
  distributed_foreground_insert: 1,
  // Tables that are joined to events, or of which a list is made, are those of the same shard.
  distributed_product_mode: "local",
  optimize_skip_unused_shards: 1,
  distributed_ddl_task_timeout: everywhereMs / secondMs,
  // The server that deletes waits for itself; whoever deletes looks at all of them afterwards.
  lightweight_deletes_sync: 1,
};
