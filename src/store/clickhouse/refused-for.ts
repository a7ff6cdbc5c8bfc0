import type { ClickHousePlace } from "../../config-clickhouse";
import { StorageRefused } from "../refused";
import { ClickHouseRefused, ClickHouseUnreachable } from "./client";
import { NotRemoved } from "./remove";
import { OwnerLost } from "./writer/owner";

/** Does the work. It translates the reasons why ClickHouse refuses into sentences for the person at the terminal. */
export async function refusedFor<Answer>(
  place: ClickHousePlace,
  work: () => Promise<Answer>,
): Promise<Answer> {
  try {
    return await work();
  } catch (error) {
    throw refusal(error, place) ?? error;
  }
}

/** ClickHouse's codes for a Keeper that does not answer, and for one that it has no session with. */
const keeperLost: ReadonlySet<number> = new Set([225, 999]);

function refusal(error: unknown, { url, user, database }: ClickHousePlace): Error | null {
  if (error instanceof ClickHouseUnreachable) {
    const code = error.tlsCode;
    if (code !== null) {
      return new StorageRefused(
        `CLICKHOUSE_URL: the certificate of ${url} is not trusted (${code}). Set CLICKHOUSE_CA_FILE to the ` +
          "certificates of the authority that signed it.",
      );
    }
    return new StorageRefused(
      `CLICKHOUSE_URL: no ClickHouse responds at ${url}. Check the address, and that ClickHouse is running.`,
    );
  }
  if (error instanceof OwnerLost) {
    return new StorageRefused(
      `Another process is writing to the database "${database}" at ${url}, and only one may. Stop it, or ` +
        "start this server with --standby to wait.",
    );
  }
  if (error instanceof NotRemoved) {
    return new StorageRefused(
      `The ClickHouse servers at ${url} have not deleted the rows of an incomplete commit. A replica may be ` +
        "down or behind: run sightline doctor to check.",
    );
  }
  if (!(error instanceof ClickHouseRefused)) return null;
  if (keeperLost.has(error.code)) {
    return new StorageRefused(
      `ClickHouse at ${url} has lost its Keeper or ZooKeeper (its code ${error.code}), so nothing can be ` +
        "stored. Start Sightline again when it is back.",
    );
  }
  const what = `ClickHouse at ${url} refuses the user "${user}" in the database "${database}"`;
  return new StorageRefused(
    `${what} with error code ${error.code}. Grant the rights that /docs/operate/clickhouse lists, and use the ` +
      "ClickHouse version that it names or a newer one.",
  );
}
