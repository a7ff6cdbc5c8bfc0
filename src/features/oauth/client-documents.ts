/*
 * A client's document is kept for an hour.
 * Decision: what a client says of itself at its https address is read once an hour at most, by the rules of website
 * scans, without redirects; 500 are kept in memory, and eight are read at a time.
 * Because: anybody may name any address, and each try would otherwise be a request to somebody else.
 * Cost: a client that changes its redirects waits for an hour, and a start of the server reads all of them again.
 * Revisit: if a client changes them more often.
 */

import { ApiError } from "../../domain/errors";
import { flawOf } from "../../domain/scan-url";
import type { Deps } from "../../http/deps";
import { isObject } from "../../http/operation/input";
import { clock, hourMs, secondMs } from "../../lib/clock";
import { fetchPage } from "../../services/page-fetch/page-fetch";
import { type Client, clientNameOf, redirectsMax } from "./client";

const documentBytesMax = 10 * 1024;
const documentMsMax = 5 * secondMs;
const documentKeptMs = 1 * hourMs;
const documentsMax = 500;
const readAtOnceMax = 8;
const addressCharsMax = 2_000;

interface Kept {
  readonly client: Client;
  readonly untilMs: number;
}

/** Clients that show a document at an https address, which is their id (client ID metadata documents). */
export class ClientDocuments {
  readonly #kept = new Map<string, Kept>();
  readonly #reading = new Map<string, Promise<Client>>();

  constructor(private readonly deps: Pick<Deps, "config" | "network">) {}

  /** Throws MISSING_FIELDS for a document that there is not or that is not what it should be. */
  async clientAt(id: string): Promise<Client> {
    const url = addressOf(id);
    const kept = this.#kept.get(id);
    if (kept !== undefined && kept.untilMs > clock.nowMs()) return kept.client;
    const reading = this.#reading.get(id);
    if (reading !== undefined) return reading;
    if (this.#reading.size >= readAtOnceMax) {
      throw new ApiError(
        "UNAVAILABLE",
        "The server is checking other clients. Try again in a second.",
      );
    }
    const begun = this.#read(id, url);
    this.#reading.set(id, begun);
    try {
      const client = await begun;
      this.#keep(id, client);
      return client;
    } finally {
      this.#reading.delete(id);
    }
  }

  #keep(id: string, client: Client): void {
    this.#kept.delete(id);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size >= documentsMax && oldest !== undefined) this.#kept.delete(oldest);
    this.#kept.set(id, { client, untilMs: clock.nowMs() + documentKeptMs });
  }

  async #read(id: string, url: URL): Promise<Client> {
    const { config, network } = this.deps;
    const rules = {
      ...{ allowHosts: config.scanAllowHosts, requestMsMax: documentMsMax },
      ...{ bytesMax: documentBytesMax, redirectsMax: 0 },
    };
    const signal = AbortSignal.timeout(documentMsMax);
    const types = ["application/json"];
    try {
      const { bytes } = await fetchPage(network, url, rules, { types, signal });
      return clientOf(id, url, bytes);
    } catch (error) {
      if (!(error instanceof ApiError) || error.code === "MISSING_FIELDS") throw error;
      throw unfit("cannot be fetched, or is not a JSON document of at most 10 KiB");
    }
  }
}

/** The address as it must be written, so that it can be compared with what the document says. */
function addressOf(id: string): URL {
  const url = id.length <= addressCharsMax && URL.canParse(id) ? new URL(id) : null;
  if (url === null || url.protocol !== "https:" || url.hash !== "" || url.href !== id) {
    throw unfit("must have a normalized https address without a fragment");
  }
  if (flawOf(url) !== null || url.pathname === "/") {
    throw unfit("must have an address with a public host name and a path, and without a user name");
  }
  return url;
}

function clientOf(id: string, { origin }: URL, bytes: Uint8Array): Client {
  const document = parsed(bytes);
  if (!isObject(document) || document.client_id !== id) {
    throw unfit("must be JSON with a client_id equal to its own address");
  }
  const { redirect_uris: redirects, token_endpoint_auth_method: method } = document;
  if (!isListOfTexts(redirects) || redirects.length === 0 || redirects.length > redirectsMax) {
    throw unfit(`must have 1 to ${redirectsMax} redirect_uris`);
  }
  if (typeof method === "string" && method.startsWith("client_secret")) {
    throw unfit("must describe a public client, without a secret");
  }
  const name = clientNameOf(document.client_name);
  return { id, name, redirectUris: redirects, documentOrigin: origin };
}

const isListOfTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((one) => typeof one === "string");

function parsed(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    return null;
  }
}

const unfit = (rule: string): ApiError =>
  new ApiError("MISSING_FIELDS", `The document of this client ${rule}.`, { field: "client_id" });
