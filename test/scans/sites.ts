import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { crawl } from "../../src/features/website-scans/crawl";
import type { PlanSize } from "../../src/features/website-scans/plan/plan";
import type { ScanResult } from "../../src/features/website-scans/schema";
import { Site } from "../../src/features/website-scans/site";
import type { Network } from "../../src/services/page-fetch/network";

/** The saved sites: a folder each, with the pages that its start page links to where a full scan reads them. */
const sitesFolder = join(import.meta.dir, "sites");
export const plansFolder = join(import.meta.dir, "plans");
export const sites: readonly string[] = readdirSync(sitesFolder).sort();

const publicAddress = "93.184.216.34";
const hostOf = (site: string): string => `${site}.example.com`;
export const addressOf = (site: string): URL => new URL(`https://${hostOf(site)}/`);

/** Answers for each saved site under a name of its own, and for pages that a test adds. */
export function savedSites(added: Readonly<Record<string, string>> = {}): Network & {
  /** What was asked for, in order. */
  readonly asked: string[];
} {
  const asked: string[] = [];
  return {
    asked,
    resolve: async (hostname) => (hostname.endsWith(".example.com") ? [publicAddress] : []),
    request: async (url) => {
      asked.push(url.pathname);
      const text = added[url.href] ?? savedPage(url);
      if (text === null) return new Response("missing", { status: 404 });
      const type = url.pathname.endsWith(".txt") ? "text/plain" : "text/html; charset=utf-8";
      return new Response(text, { headers: { "content-type": type } });
    },
  };
}

function savedPage({ hostname, pathname }: URL): string | null {
  const folder = join(sitesFolder, hostname.replace(/\.example\.com$/, ""));
  const name = pathname.endsWith("/") ? `${pathname}index` : pathname;
  const file = [`${folder}${name}.html`, `${folder}${name}`].find(existsSync);
  return file === undefined || !/\.\w+$/.test(file) ? null : readFileSync(file, "utf8");
}

export const isWhole = (site: string): boolean => site.startsWith("site-");

export async function planFor(
  site: string,
  size: PlanSize,
  network: Network = savedSites(),
): Promise<ScanResult> {
  const start = addressOf(site);
  const signal = new AbortController().signal;
  const isFull = size === "full";
  const read = new Site();
  await crawl(read, start, { network, allowHosts: [], isFull, signal });
  const { preview, full } = await read.plans(start.href, isFull);
  return JSON.parse(full ?? preview);
}

/** A plan as a person reads it. What is the same for every site is left out. */
function asText(site: string, size: PlanSize, plan: ScanResult): string {
  const { analytics_detected: analytics } = plan;
  const providers = analytics.providers.join(", ") || "none";
  return [
    `# ${site}, ${size}`,
    "",
    ...plan.minimum_viable_instrumentation.map(
      ({ priority, event, implementation_hint }) =>
        `${priority}. **${event}** ${implementation_hint}`,
    ),
    "",
    `- First blindspot: ${plan.current_blindspots[0]}`,
    `- Not needed yet: ${plan.not_needed_yet.map(({ event }) => event).join(", ") || "nothing"}`,
    `- Funnels: ${plan.goal_driven_funnels.map(({ name }) => name).join(", ") || "none"}`,
    `- Business events later: ${plan.business_events_later.map(({ event }) => event).join(", ") || "none"}`,
    `- Tests: ${plan.suggested_ab_tests.map(({ name }) => name).join(", ") || "none"}`,
    `- Analytics: ${providers}${analytics.sightline ? ", and Sightline" : ""}`,
    "",
  ].join("\n");
}

/** What stands in the file of a site. */
export async function textFor(site: string): Promise<string> {
  const preview = asText(site, "preview", await planFor(site, "preview"));
  if (!isWhole(site)) return preview;
  return `${preview}\n${asText(site, "full", await planFor(site, "full"))}`;
}
