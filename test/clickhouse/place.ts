import type { ClickHousePlace } from "../../src/config-clickhouse";

/** A database of a ClickHouse of the tests, which asks nobody for a password. */
export const placeAt = (url: string, database: string): ClickHousePlace => ({
  ...{ url, database, cluster: null },
  ...{ user: "default", password: "", certificates: null },
});

/** Fails a test whose store nothing is expected to stop. */
export const onFatal = (why: string): void => {
  throw new Error(why);
};
