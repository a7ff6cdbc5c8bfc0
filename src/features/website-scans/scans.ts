import type { Caller, CallerAccount } from "../../domain/caller";
import { ApiError } from "../../domain/errors";
import { monthOf } from "../../domain/month";
import type { Deps } from "../../http/deps";
import { assert } from "../../lib/assert";
import { clock, dayMs } from "../../lib/clock";
import { newToken, sha256Hex } from "../../lib/ids";
import type { ScanRow } from "../../store/control/scan-tables";
import { Admission, type Outcome, requireQuota } from "./admission";
import { crawl } from "./crawl";
import { SiteThread } from "./site-thread";

/** An anonymous preview is reused for its host for this long. */
const previewReusedMs = dayMs;

export interface ScanOrder {
  readonly url: URL;
  readonly isFull: boolean;
  readonly projectId: string | null;
}

/** A scan as it is answered: what of it belongs to this one answer, besides its row. */
export interface Answered {
  readonly row: ScanRow;
  readonly isCached: boolean;
  readonly resumeToken: string | null;
}

/** Scans that run. Each goes on to its end even if the client that asked for it is gone. */
export class Scans {
  readonly #deps: Deps;
  readonly #admission = new Admission();
  readonly #ended = new AbortController();
  /** The running scans by id, so that a scan is made a full one by one request only. */
  readonly #running = new Map<string, Promise<ScanRow>>();

  /** `answerMsMax` is the time for one answer of the thread that reads a site; tests have less patience. */
  constructor(
    deps: Deps,
    private readonly answerMsMax?: number,
  ) {
    this.#deps = deps;
    deps.control.scans.endUnfinished();
  }

  /** A preview of a site's root page, for somebody without an account. */
  async anonymous(url: URL, address: string): Promise<Answered> {
    const root = new URL("/", url);
    const { scans } = this.#deps.control;
    const known = scans.previewOfHost(root.hostname, clock.nowMs() - previewReusedMs);
    if (known !== undefined) return { row: known, isCached: true, resumeToken: null };
    const leave = this.#admission.ofAddress(address);
    const resumeToken = newToken("rst");
    const row = await this.#begin(leave, () =>
      scans.add({
        ...namesOf(root),
        accountId: null,
        projectId: null,
        mode: "anonymous_preview",
        resumeHash: sha256Hex(resumeToken),
        createdAtMs: clock.nowMs(),
      }),
    );
    return { row, isCached: false, resumeToken };
  }

  /** A preview or a full scan for an account. */
  async ofAccount({ account }: Caller, { url, isFull, projectId }: ScanOrder): Promise<Answered> {
    const { scans } = this.#deps.control;
    const leave = this.#admission.ofAccount(account.id);
    const row = await this.#begin(leave, () => {
      if (isFull) this.#requireQuota(account);
      return scans.add({
        ...namesOf(url),
        accountId: account.id,
        projectId,
        mode: isFull ? "full" : "authenticated_preview",
        resumeHash: null,
        createdAtMs: clock.nowMs(),
      });
    });
    return { row, isCached: false, resumeToken: null };
  }

  /**
   * Takes a preview over and makes it full, in one: when it fails, the preview stays whose it was. `find` looks the
   * scan up as it may be seen by the caller, and is asked again after anything that was waited for.
   */
  async upgrade(
    { account }: Caller,
    find: () => ScanRow,
    projectId: string | null,
  ): Promise<ScanRow> {
    const { scans } = this.#deps.control;
    let row = find();
    // Looked at again after each wait: of two that waited for the same run, the first has begun another.
    for (let run = this.#running.get(row.id); run !== undefined; run = this.#running.get(row.id)) {
      await run.catch(() => undefined);
      row = find();
    }
    if (row.accountId === account.id && row.mode === "full" && row.status === "succeeded") {
      return projectId === null ? row : (scans.change(row.id, { projectId }) ?? row);
    }
    const leave = this.#admission.ofAccount(account.id);
    return this.#begin(
      leave,
      () => {
        this.#requireQuota(account);
        const change = {
          accountId: account.id,
          status: "pending",
          fullAtMs: clock.nowMs(),
        } as const;
        const begun = scans.change(row.id, { ...change, projectId: projectId ?? row.projectId });
        assert(begun !== undefined, "a scan is not forgotten between two lines");
        return { ...begun, mode: "full" };
      },
      row,
    );
  }

  /**
   * Ends the running scans, which are marked as failed at the next start. It is called when nobody waits for them any
   * more.
   */
  async close(): Promise<void> {
    this.#ended.abort();
    await Promise.allSettled(this.#running.values());
  }

  /** `before` is what a scan that is made full was, and is again if that fails. */
  #begin(
    leave: (outcome: Outcome) => void,
    add: () => ScanRow,
    before: ScanRow | null = null,
  ): Promise<ScanRow> {
    let row: ScanRow;
    try {
      row = add();
    } catch (error) {
      leave("failed");
      throw error;
    }
    const site = new SiteThread(this.#deps.startSiteReader, this.answerMsMax);
    const end = (outcome: Outcome): void => {
      this.#running.delete(row.id);
      // A thread that is stuck uses a processor until it has ended, so its place is taken until then.
      if (site.isStuck) void site.ended.then(() => leave(outcome));
      else leave(outcome);
    };
    const work = this.#run(row, before, site).then(
      (done) => {
        end("succeeded");
        return done;
      },
      (error: unknown) => {
        end("failed");
        throw error;
      },
    );
    this.#running.set(row.id, work);
    return work;
  }

  async #run(row: ScanRow, before: ScanRow | null, site: SiteThread): Promise<ScanRow> {
    const { config, control, network } = this.#deps;
    const isFull = row.mode === "full";
    const { signal } = this.#ended;
    const stop = (): void => site.end(stopping());
    signal.addEventListener("abort", stop);
    control.scans.change(row.id, { status: "running" });
    try {
      const { scanAllowHosts: allowHosts } = config;
      const start = new URL(row.normalizedUrl);
      await crawl(site, start, { network, allowHosts, isFull, signal });
      const plans = await site.plans(row.normalizedUrl, isFull);
      const done = control.scans.change(row.id, {
        status: "succeeded",
        mode: row.mode,
        preview: row.preview ?? plans.preview,
        result: plans.full,
        snippet: plans.snippet,
      });
      if (done !== undefined) return done;
      throw new ApiError("NOT_FOUND", "The account that owns this scan was deleted.");
    } catch (error) {
      if (signal.aborted) throw stopping();
      control.scans.change(row.id, failureOf(before));
      throw error instanceof ApiError ? withScan(error, row.id) : error;
    } finally {
      signal.removeEventListener("abort", stop);
      site.end(stopping());
    }
  }

  /** Counts what is stored, so it is asked just before a scan is stored, with nothing waited for in between. */
  #requireQuota({ id, tier }: CallerAccount): void {
    const monthMs = Date.parse(`${monthOf(clock.nowMs())}-01T00:00:00.000Z`);
    requireQuota(tier, this.#deps.control.scans.fullSince(id, monthMs));
  }
}

const stopping = (): ApiError =>
  new ApiError("UNAVAILABLE", "The server is shutting down. Try again in a moment.");

const namesOf = ({ href, hostname }: URL) => ({ normalizedUrl: href, hostname });

function failureOf(before: ScanRow | null) {
  if (before === null) return { status: "failed" } as const;
  const { accountId, projectId, status, fullAtMs } = before;
  return { accountId, projectId, status, fullAtMs };
}

/** A scan that failed can still be looked at, so the answer names it. */
function withScan(error: ApiError, scanId: string): ApiError {
  if (error.code !== "SCAN_FAILED") return error;
  return new ApiError(error.code, error.message, { ...error.extras, analysis_id: scanId });
}
