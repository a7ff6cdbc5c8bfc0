/*
 * A page is fetched from an address.
 * Decision: a name is looked up once, each of its addresses is checked, and the request names one of them with the
 * name in Host and TLS; redirects are followed by hand, a body is inflated by hand (`services/page-fetch/`).
 * Because: a name that answers differently the second time, a redirect or a compressed page must not reach inward.
 * Cost: no connection is used twice; a site of two addresses is asked at the first alone.
 * Revisit: when fetch takes an address by itself.
 */

import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { ApiError } from "../../domain/errors";
import {
  addressIn,
  counterpartOf,
  flawOf,
  hostnameOf,
  scanUrlCharsMax,
} from "../../domain/scan-url";
import { secondMs } from "../../lib/clock";
import { untilAborted } from "../../lib/until-aborted";
import type { Network } from "./network";
import { isPublicAddress } from "./public-address";

export const pageBytesMax = 2 * 1024 * 1024;
export const requestMsMax = 8 * secondMs;
const redirectsUsual = 3;

export interface FetchRules {
  /** Host names that may lead to private addresses. */
  readonly allowHosts: readonly string[];
  readonly requestMsMax: number;
  readonly bytesMax: number;
  /** The number of redirects that are followed; by default that for sites. */
  readonly redirectsMax?: number;
}

export interface FetchedPage {
  /** The address to which the redirects led. */
  readonly url: URL;
  readonly bytes: Uint8Array;
  /** The encoding that the header names. */
  readonly charset: string | null;
}

/** A page that could not be read, with the status of its answer where there was one. */
export class Unreadable extends ApiError {
  constructor(
    why: string,
    readonly answerStatus: number | null,
  ) {
    super("SCAN_FAILED", `The scan could not read the site: ${why}.`);
  }
}

interface Wanted {
  /** Content types that are taken, in lower case. */
  readonly types: readonly string[];
  readonly signal: AbortSignal;
  /** Tells whether the site itself allows to read an address, to which redirects are held too. */
  mayRead?(url: URL): Promise<boolean>;
}

/**
 * Reads one page of a site by the safety rules of docs/guides/website-scan.md: each address that a name has is
 * checked, the connection goes to one that was, and redirects are followed by hand, each checked like the first.
 *
 * Throws UNSAFE_URL for what the rules refuse, and SCAN_FAILED for a site that cannot be read.
 */
export async function fetchPage(
  network: Network,
  start: URL,
  rules: FetchRules,
  wanted: Wanted,
): Promise<FetchedPage> {
  const { redirectsMax = redirectsUsual } = rules;
  let url = start;
  for (let redirects = 0; ; redirects++) {
    if ((await wanted.mayRead?.(url)) === false) throw failed("its robots.txt does not allow it");
    const signal = AbortSignal.any([wanted.signal, AbortSignal.timeout(rules.requestMsMax)]);
    const answer = await ask(network, url, { ...rules, types: wanted.types }, signal);
    const location = answer.headers.get("location");
    if (answer.status >= 300 && answer.status < 400 && location !== null) {
      await discard(answer);
      if (redirects === redirectsMax) throw unsafe(`redirects more than ${redirectsMax} times`);
      url = followed(start, url, location);
      continue;
    }
    const bytes = await readAnswer(answer, rules.bytesMax, wanted.types, signal);
    return { url, bytes, charset: charsetOf(answer) };
  }
}

async function ask(
  network: Network,
  url: URL,
  { types, ...rules }: FetchRules & Pick<Wanted, "types">,
  signal: AbortSignal,
): Promise<Response> {
  try {
    const address = await checkedAddress(network, hostnameOf(url), rules, signal);
    const asked = network.request(url, address, signal, types.join(", "));
    return await untilAborted(asked, signal);
  } catch (error) {
    throw error instanceof ApiError ? error : failed(reasonOf(error, signal));
  }
}

/** The first of the addresses of a name, all of which must be public. */
async function checkedAddress(
  network: Network,
  host: string,
  { allowHosts }: FetchRules,
  signal: AbortSignal,
): Promise<string> {
  const addresses = await untilAborted(network.resolve(host), signal);
  const [first] = addresses;
  if (first === undefined) throw failed("its host name does not resolve to an address");
  if (allowHosts.includes(host) || addresses.every(isPublicAddress)) return first;
  throw unsafe("has an address that is not public");
}

/** The next address of a redirect. Only the site's own host and its `www.` counterpart are followed. */
function followed(start: URL, from: URL, location: string): URL {
  const next = addressIn(location, from);
  if (next === null) {
    throw unsafe(
      `redirects to an invalid address, or to one longer than ${scanUrlCharsMax} characters`,
    );
  }
  next.hash = "";
  if (flawOf(next) !== null) throw unsafe(`redirects to an address that ${flawOf(next)}`);
  const own = hostnameOf(start);
  const host = hostnameOf(next);
  if (host === own || host === counterpartOf(own)) return next;
  throw unsafe("redirects to another host. Scan that host directly");
}

async function readAnswer(
  answer: Response,
  bytesMax: number,
  types: readonly string[],
  signal: AbortSignal,
): Promise<Uint8Array> {
  const flaw = flawOfAnswer(answer, types);
  if (flaw !== null) {
    await discard(answer);
    throw failed(flaw, answer.status);
  }
  const bytes = await readBytes(answer, bytesMax, signal);
  return isEncoded(answer) ? inflated(bytes, bytesMax) : bytes;
}

const charsetOf = ({ headers }: Response): string | null =>
  /;\s*charset\s*=\s*"?([\w-]+)/i.exec(headers.get("content-type") ?? "")?.[1] ?? null;

function flawOfAnswer({ status, headers }: Response, types: readonly string[]): string | null {
  if (status !== 200) return `it responded with status ${status}`;
  const type = (headers.get("content-type") ?? "").split(";")[0]?.trim().toLowerCase() ?? "";
  if (!types.includes(type)) return `its content type is not ${types.join(" or ")}`;
  const encoding = headers.get("content-encoding")?.trim().toLowerCase() ?? "";
  return ["", "identity", "gzip", "x-gzip"].includes(encoding)
    ? null
    : "it uses a compression other than gzip";
}

const isEncoded = ({ headers }: Response): boolean =>
  /gzip/i.test(headers.get("content-encoding") ?? "");

/** Reads the body as it came over the wire, which is bounded as its decoded text is. */
async function readBytes(
  { body }: Response,
  bytesMax: number,
  signal: AbortSignal,
): Promise<Uint8Array> {
  if (body === null) return new Uint8Array();
  const reader = body.getReader();
  const parts: Uint8Array[] = [];
  let length = 0;
  try {
    for (;;) {
      const { done, value } = await untilAborted(reader.read(), signal);
      if (done) return Buffer.concat(parts);
      length += value.length;
      if (length > bytesMax) throw tooLarge(bytesMax);
      parts.push(value);
    }
  } catch (error) {
    await hangUp(reader);
    throw error instanceof ApiError ? error : failed(reasonOf(error, signal));
  }
}

/** Runs beside the main thread, as a stranger chose the bytes. */
const inflate = promisify<Uint8Array, { maxOutputLength: number }, Uint8Array>(gunzip);

/** Stops as soon as there is more than is allowed, however little it came from. */
async function inflated(bytes: Uint8Array, bytesMax: number): Promise<Uint8Array> {
  try {
    return await inflate(bytes, { maxOutputLength: bytesMax });
  } catch (error) {
    const isLarge = error instanceof RangeError;
    throw isLarge ? tooLarge(bytesMax) : failed("its compressed response is damaged");
  }
}

async function discard({ body }: Response): Promise<void> {
  if (body !== null) await hangUp(body);
}

/** A connection that is broken already cannot be hung up, and need not be. */
async function hangUp(source: { cancel(): Promise<void> }): Promise<void> {
  await source.cancel().catch(() => undefined);
}

function reasonOf(error: unknown, signal: AbortSignal): string {
  if (signal.aborted) return "it did not respond in time";
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  if (/NOTFOUND|NODATA|EAI_/.test(code)) return "its host name does not resolve to an address";
  if (/CERT|TLS|SSL|SELF_SIGNED|UNABLE_TO_/.test(code)) return "its TLS certificate is not valid";
  return "the server cannot connect to it";
}

const unsafe = (why: string): ApiError =>
  new ApiError("UNSAFE_URL", `The site ${why}. Only public sites can be scanned.`, {
    field: "url",
  });
const failed = (why: string, status: number | null = null): Unreadable =>
  new Unreadable(why, status);
const tooLarge = (bytesMax: number): ApiError => failed(`it sends more than ${bytesMax} bytes`);
