import type { ClickHousePlace } from "../../config-clickhouse";
import { secondMs } from "../../lib/clock";
import { clusterSettings, type Settings } from "./cluster-settings";
import { type ParameterValue, parameterText, textOfBytes } from "./text";

export type Parameters = Readonly<Record<string, ParameterValue>>;

/** ClickHouse refused a statement, for the reason in `code`. Its text is never shown: it may contain visitors' data. */
export class ClickHouseRefused extends Error {
  constructor(
    readonly code: number,
    readonly text: string,
  ) {
    super(`ClickHouse refused the statement with error code ${code}.`);
    this.name = "ClickHouseRefused";
  }
}
/** ClickHouse did not answer, and may or may not have executed the statement. */
export class ClickHouseUnreachable extends Error {
  constructor(override readonly cause: unknown) {
    super("ClickHouse did not respond.");
    this.name = "ClickHouseUnreachable";
  }

  /** The reason why the server's certificate was not accepted, or null when that is not what failed. */
  get tlsCode(): string | null {
    const { cause } = this;
    const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
    return /CERT|TLS|SSL|SELF_SIGNED|UNABLE_TO_/.test(code) ? code : null;
  }
}

const statementMsMax = 15 * secondMs;
/** ClickHouse prints 64-bit integers as JSON numbers; all of ours are safe integers. */
const always: Settings = { output_format_json_quote_64bit_integers: 0, wait_end_of_query: 1 };

/** Sends statements with bound values, and rows to insert, over ClickHouse's HTTP interface. */
export class ClickHouse {
  private readonly always: Settings;

  constructor(private readonly place: ClickHousePlace) {
    this.always = place.cluster === null ? always : { ...always, ...clusterSettings };
  }

  get database(): string {
    return this.place.database;
  }
  get cluster(): string | null {
    return this.place.cluster;
  }

  async rows<Row>(
    statement: string,
    parameters: Parameters = {},
    { settings = {}, signal }: { settings?: Settings; signal?: AbortSignal } = {},
  ): Promise<Row[]> {
    const form = new FormData();
    form.set("query", statement);
    for (const [name, value] of Object.entries(parameters)) {
      form.set(`param_${name}`, parameterText(value));
    }
    const sent = { ...this.always, ...settings, default_format: "JSONEachRow" };
    const text = textOfBytes(await this.send(sent, form, signal));
    return text === "" ? [] : JSON.parse(`[${text.trimEnd().replaceAll("\n", ",")}]`);
  }

  async run(statement: string): Promise<void> {
    await this.send(this.always, statement);
  }

  /**
   * Resolves when the rows are in the table, although a server may by default answer earlier. Rows that are sent again
   * with the same token are stored once.
   */
  async insert(into: string, rows: Uint8Array, settings: Settings = {}): Promise<void> {
    const query = `insert into ${into} format RowBinary`;
    await this.send({ ...this.always, async_insert: 0, ...settings, query }, rows);
  }

  private async send(
    settings: Settings,
    body: string | FormData | Uint8Array,
    signal?: AbortSignal,
  ): Promise<Uint8Array> {
    const { url, user, password, certificates } = this.place;
    const query = Object.entries(settings).map(
      ([name, value]) => `${name}=${encodeURIComponent(value)}`,
    );
    const timeout = AbortSignal.timeout(statementMsMax);
    let response: Response;
    let bytes: Uint8Array;
    try {
      response = await fetch(`${url}/?${query.join("&")}`, {
        method: "POST",
        headers: { "x-clickhouse-user": user, "x-clickhouse-key": password },
        body,
        // ClickHouse closes a connection that was idle for some seconds. If the client sends a statement at that
        // moment, it cannot know whether ClickHouse executed it. A new connection costs 0.1 ms, with TLS 1.2 ms.
        keepalive: false,
        // A redirect would send the password and visitors' data to another host.
        redirect: "error",
        ...(certificates !== null && { tls: { ca: certificates } }),
        signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
      });
      bytes = await response.bytes();
    } catch (error) {
      throw new ClickHouseUnreachable(error);
    }
    if (response.ok) return bytes;
    const code = Number(response.headers.get("x-clickhouse-exception-code") ?? 0);
    throw new ClickHouseRefused(code, textOfBytes(bytes));
  }
}
