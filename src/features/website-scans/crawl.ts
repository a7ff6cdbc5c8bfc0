import { ApiError } from "../../domain/errors";
import { secondMs } from "../../lib/clock";
import type { Network } from "../../services/page-fetch/network";
import {
  type FetchedPage,
  type FetchRules,
  fetchPage,
  pageBytesMax,
  requestMsMax,
  Unreadable,
} from "../../services/page-fetch/page-fetch";
import type { SiteReader } from "./site";

const usualTimes = { requestMsMax, scanMsMax: 25 * secondMs };

export interface CrawlOptions {
  readonly network: Network;
  readonly allowHosts: readonly string[];
  readonly isFull: boolean;
  readonly signal: AbortSignal;
  /** The usual times, unless a test needs shorter ones. */
  readonly times?: typeof usualTimes;
}

/**
 * Fetches the start page of a site and, for a full scan, pages that it links to: shallow ones first, then in document
 * order. `site` reads them. Pages that robots.txt excludes do not count among these; one that cannot be fetched is left
 * out, and no further one is requested when time is up.
 */
export async function crawl(site: SiteReader, start: URL, options: CrawlOptions): Promise<void> {
  const { network, allowHosts, isFull, times = usualTimes } = options;
  const signal = AbortSignal.any([options.signal, AbortSignal.timeout(times.scanMsMax)]);
  const rules = { allowHosts, requestMsMax: times.requestMsMax, bytesMax: pageBytesMax };
  const fetching: Fetching = { network, signal, rules };
  const first = await fetchPage(network, start, rules, { types: pageTypes, signal });
  await site.page(textOf(first));
  if (!isFull) return;
  await site.robots(await fetchRobots(fetching, first.url));
  const mayRead = ({ href }: URL): Promise<boolean> => site.mayRead(href);
  for (const link of await site.links()) {
    if (signal.aborted) break;
    const wanted = { types: pageTypes, signal, mayRead };
    const page = await fetchPage(network, new URL(link), rules, wanted).catch(leftOut);
    // A server that stops keeps nothing that is cut short; one whose time is up for this site keeps what it has.
    options.signal.throwIfAborted();
    if (page !== null) await site.page(textOf(page));
  }
}

interface Fetching {
  readonly network: Network;
  readonly rules: FetchRules;
  readonly signal: AbortSignal;
}

const pageTypes = ["text/html"];

const textOf = ({ url, bytes, charset }: FetchedPage) => ({ address: url.href, bytes, charset });

/** Leaves a page out that cannot be fetched: the scan goes on with the others. */
function leftOut(error: unknown): null {
  if (error instanceof ApiError) return null;
  throw error;
}

/**
 * Fetches robots.txt; null when nothing may be read. By the standard (RFC 9309) a file that is missing allows
 * everything, and one that cannot be fetched allows nothing.
 */
async function fetchRobots(
  { network, rules, signal }: Fetching,
  site: URL,
): Promise<Uint8Array | null> {
  const url = new URL("/robots.txt", site);
  try {
    return (await fetchPage(network, url, rules, { types: ["text/plain"], signal })).bytes;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const status = error instanceof Unreadable ? error.answerStatus : null;
    return status !== null && status < 500 ? new Uint8Array() : null;
  }
}
