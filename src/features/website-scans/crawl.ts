/*
 * robots.txt by a parser.
 * Decision: `robots-parser` (MIT, no dependencies, 60 KB) reads it; a file that fails with 5xx allows nothing, nor
 * does one of more than 5,000 lines or of a line with more than 8 stars. Redirects are held to it.
 * Because: precedence of rules and wildcards is what everybody gets wrong, and comparing may take long.
 * Cost: a package; of a site with such a file only the start page is read.
 * Revisit: no.
 */

/*
 * Pages are read on the main thread, in pieces.
 * Decision: HTMLRewriter gets 2 KiB at a time, and other requests are answered in between. A page is read as far as
 * 10,000 elements or 15,000 end tags, because each end tag is compared with every element that is open. A plan is made
 * one signal at a time.
 * Because: a thread costs more than the 0.1 s that a page of 2 MiB takes, and few are so large.
 * Cost: entities are not decoded by it (`entities` does that), nor is what is not UTF-8 (`reading/charset.ts`); a page
 * that is made to be slow still takes 1 s, in pieces of less than 0.1 s.
 * Revisit: if scans show in the latency of /track.
 */

import robotsParser from "robots-parser";
import { ApiError } from "../../domain/errors";
import { secondMs } from "../../lib/clock";
import { turn } from "../../lib/turn";
import type { Network } from "../../services/page-fetch/network";
import {
  type FetchRules,
  fetchPage,
  pageBytesMax,
  requestMsMax,
  Unreadable,
} from "../../services/page-fetch/page-fetch";
import { inUtf8 } from "./reading/charset";
import { attributeCharsMax, type Page } from "./reading/page";

const contractTimes = { requestMsMax, scanMsMax: 25 * secondMs };
/** The pages of a full scan beside the start page. */
const furtherPagesMax = 9;
/** Links that are held against robots.txt, to find those that may be read. */
const linksComparedMax = 100;
/** Longer ones are cut off, as search engines do. */
const robotsCharsMax = 500 * 1024;
/** A longer file is hostile: one address is compared with each line, and with each way its stars can match. */
const robotsLinesMax = 5_000;
const starsOfLineMax = 8;
const userAgent = "SightlineScanner";

type Robot = ReturnType<typeof robotsParser>;

export interface CrawlOptions {
  readonly network: Network;
  readonly allowHosts: readonly string[];
  readonly isFull: boolean;
  readonly signal: AbortSignal;
  /** The times of the contract, unless a test needs shorter ones. */
  readonly times?: typeof contractTimes;
}

/**
 * The start page of a site and, of a full scan, pages that it links to: shallow ones first, then in document order.
 * What robots.txt keeps out does not count among these; one that cannot be read is left out, and none is asked for when
 * time is up.
 */
export async function crawl(start: URL, options: CrawlOptions): Promise<readonly Page[]> {
  const { network, allowHosts, isFull, times = contractTimes } = options;
  const signal = AbortSignal.any([options.signal, AbortSignal.timeout(times.scanMsMax)]);
  const reading: Reading = {
    ...{ network, signal, mayRead: () => true },
    rules: { allowHosts, requestMsMax: times.requestMsMax, bytesMax: pageBytesMax },
  };
  const first = await readOne(reading, start);
  if (!isFull) return [first];
  const { origin } = first.url;
  const robots = await readRobots(reading, first.url);
  const mayRead = (url: URL): boolean =>
    url.origin === origin && robots?.isAllowed(url.href, userAgent) === true;
  const pages = [first];
  let asked = 0;
  for (const url of linksOf(first).slice(0, linksComparedMax)) {
    if (asked === furtherPagesMax || signal.aborted) break;
    // Comparing an address with the rules of a large file takes a while, and others wait.
    await turn();
    if (!mayRead(url)) continue;
    asked += 1;
    const page = await readOne({ ...reading, mayRead }, url).catch(leftOut);
    // A server that stops keeps nothing that is cut short; one whose time is up for this site keeps what it has.
    options.signal.throwIfAborted();
    if (page !== null && !pages.some((known) => known.url.href === page.url.href)) pages.push(page);
  }
  return pages;
}

interface Reading {
  readonly network: Network;
  readonly rules: FetchRules;
  readonly signal: AbortSignal;
  mayRead(url: URL): boolean;
}

async function readOne({ network, rules, ...reading }: Reading, from: URL): Promise<Page> {
  const { url, bytes, charset } = await fetchPage(network, from, rules, {
    types: ["text/html"],
    ...reading,
  });
  const address = new URL(url);
  address.search = "";
  address.hash = "";
  // Its tables of entities take 7 ms to be made, which no start has to wait for.
  const { readPage } = await import("./reading/read-page");
  return readPage(address, inUtf8(bytes, charset));
}

/** Leaves a page out that cannot be read: the scan goes on with the others. */
function leftOut(error: unknown): null {
  if (error instanceof ApiError) return null;
  throw error;
}

/**
 * Reads robots.txt; null when nothing may be read. By the standard (RFC 9309) a file that is missing allows everything,
 * and one that cannot be fetched allows nothing.
 */
async function readRobots({ network, rules, signal }: Reading, site: URL): Promise<Robot | null> {
  const url = new URL("/robots.txt", site);
  try {
    const { bytes } = await fetchPage(network, url, rules, { types: ["text/plain"], signal });
    const text = new TextDecoder().decode(bytes).slice(0, robotsCharsMax);
    return isTrap(text) ? null : parserOf(url, text);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const status = error instanceof Unreadable ? error.answerStatus : null;
    return status !== null && status < 500 ? parserOf(url, "") : null;
  }
}

function isTrap(text: string): boolean {
  const lines = text.split(/[\r\n]+/, robotsLinesMax + 1);
  return (
    lines.length > robotsLinesMax ||
    lines.some((line) => line.split("*").length - 1 > starsOfLineMax)
  );
}

const parserOf = (url: URL, text: string): Robot => robotsParser(url.href, text);

/** Pages of the same origin, each once. A page that is linked from everywhere is as far up as its path is short. */
function linksOf({ url, base, parts }: Page): readonly URL[] {
  const found = new Map<string, URL>();
  for (const { tag, attributes } of parts) {
    const { href } = attributes;
    if (tag !== "a" || href === undefined || !URL.canParse(href, base.href)) continue;
    // An address that was cut off would lead elsewhere.
    if (href.length >= attributeCharsMax) continue;
    const target = new URL(href, base.href);
    target.search = "";
    target.hash = "";
    const isOther = target.origin === url.origin && target.href !== url.href;
    if (isOther && !isFile(target.pathname))
      found.set(target.href, found.get(target.href) ?? target);
  }
  // Sorting is stable: pages of one depth stay in document order.
  return [...found.values()].sort((a, b) => depthOf(a) - depthOf(b));
}

const depthOf = ({ pathname }: URL): number => pathname.split("/").filter(Boolean).length;

/** A name that ends like a file and not like a page. */
const isFile = (path: string): boolean =>
  /\.[a-z0-9]{1,8}$/i.test(path) && !/\.(html?|xhtml|php|aspx?|jsp|cfm)$/i.test(path);
