import type { ClickHousePlace } from "../../config-clickhouse";
import { ClickHouse } from "./client";
import { migrate } from "./migrate";
import { refusedFor } from "./refused-for";
import { leaseEnded } from "./writer/owner";

/** Resolves when no server holds the lease on the events any more, or when `signal` ends the wait. */
export async function standBy(place: ClickHousePlace, signal: AbortSignal): Promise<void> {
  const clickhouse = new ClickHouse(place);
  // A reason that would refuse this server when it is needed is reported at its start.
  await refusedFor(place, () => migrate(clickhouse));
  await leaseEnded(clickhouse, signal);
}
