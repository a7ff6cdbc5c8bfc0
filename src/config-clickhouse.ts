import { contentOf } from "./config-secrets";

/** The address of ClickHouse, and the user and password for it. */
export interface ClickHousePlace {
  readonly url: string;
  readonly database: string;
  /** The name by which ClickHouse knows the servers that the tables are made on; null for one server. */
  readonly cluster: string | null;
  readonly user: string;
  readonly password: string;
  /** Certificates of who may sign the server's, as PEM; null for those that the machine trusts. */
  readonly certificates: string | null;
}

const names = [
  ...(["CLICKHOUSE_DATABASE", "CLICKHOUSE_CLUSTER", "CLICKHOUSE_USER"] as const),
  ...(["CLICKHOUSE_PASSWORD", "CLICKHOUSE_CA_FILE"] as const),
];
const databaseForm = /^[A-Za-z_][A-Za-z0-9_]{0,62}$/;
/** A name that ClickHouse accepts and that needs no escape in a statement. */
const clusterForm = /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,62}$/;

/** Returns null when events are kept in a file, and a sentence when the variables are wrong. */
export function clickHouseOf(
  text: (name: string) => string | null,
): ClickHousePlace | null | string {
  const sent = text("CLICKHOUSE_URL");
  if (sent === null) {
    const left = names.find((name) => text(name) !== null);
    return left === undefined
      ? null
      : `${left} is set, but CLICKHOUSE_URL is not. Set CLICKHOUSE_URL, or unset ${left}.`;
  }
  const url = URL.canParse(sent) ? new URL(sent) : null;
  if (url === null || !/^https?:$/.test(url.protocol) || url.href !== `${url.origin}/`) {
    return (
      "CLICKHOUSE_URL must be the origin of ClickHouse's HTTP interface, such as " +
      "https://clickhouse.example.com:8443, without a path. Put the user name in CLICKHOUSE_USER and the " +
      "path of a password file in CLICKHOUSE_PASSWORD_FILE."
    );
  }
  const database = text("CLICKHOUSE_DATABASE") ?? "sightline";
  if (!databaseForm.test(database)) {
    return "CLICKHOUSE_DATABASE must have 1 to 63 letters, digits or underscores, and must not begin with a digit.";
  }
  const cluster = text("CLICKHOUSE_CLUSTER");
  if (cluster !== null && !clusterForm.test(cluster)) {
    return (
      "CLICKHOUSE_CLUSTER must be a name from ClickHouse's remote_servers: 1 to 63 letters, digits, _, . or " +
      "-, not beginning with . or -."
    );
  }
  const caFile = text("CLICKHOUSE_CA_FILE");
  const certificates = caFile === null ? null : contentOf(caFile);
  if (caFile !== null && certificates === null) {
    return `CLICKHOUSE_CA_FILE: the server cannot read "${caFile}". Check the path and its permissions.`;
  }
  return {
    url: url.origin,
    ...{ database, cluster },
    user: text("CLICKHOUSE_USER") ?? "default",
    password: text("CLICKHOUSE_PASSWORD") ?? "",
    certificates,
  };
}
