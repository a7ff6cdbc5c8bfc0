import type { ClickHousePlace } from "../../config-clickhouse";
import { secondMs } from "../../lib/clock";
import { clusterSettings, type Settings } from "./cluster-settings";
import { type ParameterValue, parameterText, textOfBytes } from "./text";

export type Parameters = Readonly<Record<string, ParameterValue>>;

/** ClickHouse refused: its code says why. Its text may contain what visitors sent: it is never shown or logged. */
export class ClickHouseRefused extends Error {
  constructor(
    readonly code: number,
    readonly text: string,
  ) {
    super(`ClickHouse refused with its code ${code}.`);
    this.name = "ClickHouseRefused";
  }
}
/** ClickHouse did not answer: it may have executed the statement. */
export class ClickHouseUnreachable extends Error {
  constructor(override readonly cause: unknown) {
    super("ClickHouse did not answer.");
    this.name = "ClickHouseUnreachable";
  }

  /** Why the server is not believed to be the one that was asked for; null when that is not the reason. */
  get tlsCode(): string | null {
    const { cause } = this;
    const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
    return /CERT|TLS|SSL|SELF_SIGNED|UNABLE_TO_/.test(code) ? code : null;
  }
}

const statementMsMax = 15 * secondMs;
/** 64-bit integers as JSON numbers: all of ours are safe. */
const always: Settings = { output_format_json_quote_64bit_integers: 0, wait_end_of_query: 1 };

/** Statements with bound values, and rows going in, over ClickHouse's HTTP interface. */
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
   * With the same token the same rows are stored once, however often they are sent. It answers when they are in the
   * table: by default a server may answer before.
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
        // Another host must not be sent the password, nor what visitors sent.
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
