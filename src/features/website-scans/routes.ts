/*
 * A claimed preview keeps its token, for the preview.
 * Decision: who holds the resume token of a scan that an account has taken over sees its preview and nothing else.
 * Because: a link that was passed on goes on working, and what the account learned is its own.
 * Cost: none.
 */

import { coversHost } from "../../domain/allowed-origin";
import { type Caller, isReadable } from "../../domain/caller";
import { ApiError, invalidField } from "../../domain/errors";
import { scanUrlOf } from "../../domain/scan-url";
import type { Deps } from "../../http/deps";
import { accountOperation } from "../../http/operation/account-operation";
import { free } from "../../http/operation/facts";
import type { Context, Operation, RequestHead } from "../../http/operation/operation";
import { openOperation } from "../../http/operation/public-operation";
import { equalInConstantTime, sha256Hex } from "../../lib/ids";
import { findProject } from "../../store/control/project-selector";
import type { ScanRow } from "../../store/control/scan-tables";
import { type FoundSnippet, installationOf } from "./installation";
import { type EventsRead, lastEventOf } from "./last-event";
import { Scans } from "./scans";
import { ScanQuery, ScanRequest, ScanUpgrade, WebsiteScan } from "./schema";
import { viewScan } from "./view";

const tag = "Website scans";
/** A scan, and the wait for one before it of the same site, send nothing for this long. */
const idleSeconds = 60;
const scanErrors = ["INVALID_URL", "UNSAFE_URL", "SCAN_BUSY", "SCAN_QUOTA_REACHED"] as const;
const failures = ["SCAN_FAILED", "FORBIDDEN", "NOT_FOUND", "UNAVAILABLE"] as const;

export interface WebsiteScans {
  readonly operations: readonly Operation[];
  /** Ends the scans that run. */
  close(): Promise<void>;
}

/** A site is named, and answered with a short measurement plan that fits it. */
export function openWebsiteScans(deps: Deps, eventsRead: EventsRead): WebsiteScans {
  const world: World = { deps, eventsRead, scans: new Scans(deps) };
  const operations = [scanRoute(world), cliRoute(world), readRoute(world), upgradeRoute(world)];
  return { operations, close: () => world.scans.close() };
}

interface World {
  readonly deps: Deps;
  readonly eventsRead: EventsRead;
  readonly scans: Scans;
}

const scanRoute = (world: World) =>
  openOperation("POST /website-scans", {
    access: free("optional"),
    doc: {
      id: "scanWebsite",
      summary: "Create a measurement plan for a site",
      description:
        "Suggests what to track first on a public site, why, and how. Fixed rules make the plan, so equal " +
        "pages give equal plans. Without a credential you get a preview with a `resume_token`; with an " +
        "account, `full` reads ten pages.",
      tag,
      errors: [...scanErrors, ...failures, "AUTH_REQUIRED"],
    },
    takes: ScanRequest,
    returns: { 200: WebsiteScan },
    handle: ({ caller, input, peer, ...sender }) => {
      requireScans(world);
      return caller === null
        ? scanAnonymously(world, input, sender, peer().address)
        : scanFor(world, caller, input, sender);
    },
  });

const cliRoute = (world: World) =>
  accountOperation("POST /cli/website-scans", {
    access: free("account:read"),
    doc: {
      id: "scanProjectWebsite",
      summary: "Create a measurement plan for a project's site",
      description:
        "Like POST /website-scans; `project` is required unless the account is complimentary.",
      tag,
      errors: [...scanErrors, ...failures, "MISSING_FIELDS"],
    },
    takes: ScanRequest,
    returns: { 200: WebsiteScan },
    handle: ({ caller, input, ...sender }) => {
      requireScans(world);
      if (!input.project && !caller.account.complimentary) {
        throw invalidField(
          "project",
          "project required: send the name or id of the project that owns this site.",
        );
      }
      return scanFor(world, caller, input, sender);
    },
  });

const readRoute = (world: World) =>
  openOperation("GET /website-scans/{id}", {
    access: free("optional"),
    doc: {
      id: "getWebsiteScan",
      summary: "Get a scan",
      description:
        "For its owner, or with the `resume_token`. `installation` says whether the snippet on the site is " +
        "right, and when events arrived.",
      tag,
      errors: ["NOT_FOUND"],
    },
    takes: ScanQuery,
    returns: { 200: WebsiteScan },
    handle: ({ caller, input, params, request }) => {
      const token = input.resume_token ?? null;
      const row = findScan(world, params.id ?? "", caller, token, holdsToken(token));
      return view(world, { row, isCached: false, newToken: null }, { caller, token, request });
    },
  });

const upgradeRoute = (world: World) =>
  accountOperation("POST /website-scans/{id}/upgrade", {
    access: free("account:read"),
    doc: {
      id: "upgradeWebsiteScan",
      summary: "Upgrade a preview to a full scan",
      description:
        "For its owner, or with the `resume_token` of a scan without an owner. A full scan is returned " +
        "unchanged.",
      tag,
      errors: [...scanErrors, ...failures],
    },
    takes: ScanUpgrade,
    returns: { 200: WebsiteScan },
    handle: async ({ caller, input, params, request, setIdle }) => {
      requireScans(world);
      const token = input.resume_token ?? null;
      const mayTake = (row: ScanRow): boolean => row.accountId === null && holdsToken(token)(row);
      const find = (): ScanRow => findScan(world, params.id ?? "", caller, token, mayTake);
      const { hostname } = find();
      const projectId = projectFor(world, caller, input.project, hostname);
      setIdle(idleSeconds);
      const row = await world.scans.upgrade(caller, find, projectId);
      return view(world, { row, isCached: false, newToken: null }, { caller, token, request });
    },
  });

function requireScans({ deps }: World): void {
  if (deps.config.websiteScans) return;
  throw new ApiError("FORBIDDEN", "The operator of this server has turned off website scans.");
}

/** The parts of the request that a scan needs. */
type Sender = Pick<Context, "setIdle"> & { readonly request: RequestHead };

async function scanAnonymously(
  world: World,
  input: ScanRequest,
  { request, setIdle }: Sender,
  address: string | null,
) {
  if (isFull(input) || input.project) {
    const message = "Without an account you can only preview a site's home page. Sign in first.";
    throw new ApiError("AUTH_REQUIRED", message);
  }
  const { deps, scans } = world;
  setIdle(idleSeconds);
  const key = deps.rates.addressKey(address);
  const { row, isCached, resumeToken } = await scans.anonymous(scanUrlOf(input.url), key);
  const asking = { caller: null, token: resumeToken, request };
  return view(world, { row, isCached, newToken: resumeToken }, asking);
}

async function scanFor(
  world: World,
  caller: Caller,
  input: ScanRequest,
  { request, setIdle }: Sender,
) {
  const { deps, scans } = world;
  // The project comes first in the order of checks, and whether it covers the host once that is known.
  const project = input.project ? findProject(deps, caller, input.project) : null;
  const url = scanUrlOf(input.url);
  const projectId = projectFor(world, caller, project?.id, url.hostname);
  setIdle(idleSeconds);
  const asked = { url, isFull: isFull(input), projectId };
  const { row } = await scans.ofAccount(caller, asked);
  const shown = { row, isCached: false, newToken: null };
  return view(world, shown, { caller, token: null, request });
}

/** Tells whether a scan is of the caller's account, and of no project that they may not see. */
const isOf = (caller: Caller, { accountId, projectId }: ScanRow): boolean =>
  accountId === caller.account.id &&
  (projectId === null || isReadable(caller, { id: projectId, accountId }));

const isFull = ({ full, mode }: ScanRequest): boolean => full === true || mode === "full";

/** The id of the project that is named, whose origins must cover the host; null when none is. */
function projectFor(
  { deps }: World,
  caller: Caller,
  selector: string | undefined,
  hostname: string,
): string | null {
  if (!selector) return null;
  const project = findProject(deps, caller, selector);
  if (coversHost(hostname, project.allowedOrigins)) return project.id;
  const message =
    "This site is not among the origins of the project. Send the right project, or leave out `project`.";
  throw new ApiError("FORBIDDEN", message);
}

/**
 * Finds a scan of the account that asks, or one that `others` lets it see. Throws NOT_FOUND for any other, if there is
 * one or not.
 */
function findScan(
  { deps }: World,
  id: string,
  caller: Caller | null,
  token: string | null,
  others: (row: ScanRow) => boolean,
): ScanRow {
  const row = deps.control.scans.byId(id);
  const isOwn = row !== undefined && caller !== null && isOf(caller, row);
  if (row !== undefined && (isOwn || (token !== null && others(row)))) return row;
  const message = "This account does not have this scan. To read a preview, send its resume_token.";
  throw new ApiError("NOT_FOUND", message);
}

const holdsToken =
  (token: string | null) =>
  ({ resumeHash }: ScanRow): boolean =>
    token !== null && resumeHash !== null && equalInConstantTime(sha256Hex(token), resumeHash);

interface Shown {
  readonly row: ScanRow;
  readonly isCached: boolean;
  readonly newToken: string | null;
}
interface Asking {
  readonly caller: Caller | null;
  readonly token: string | null;
  readonly request: RequestHead;
}

async function view(world: World, shown: Shown, { caller, token, request }: Asking) {
  const { row, isCached, newToken } = shown;
  const { deps, eventsRead } = world;
  const isOwner = caller !== null && isOf(caller, row);
  const snippet: FoundSnippet | null = row.snippet === null ? null : JSON.parse(row.snippet);
  const installation =
    isOwner && snippet !== null
      ? await installationOf(deps, caller.account.id, snippet, (project) =>
          lastEventOf(deps, eventsRead, project, request.signal),
        )
      : null;
  const { publicUrl } = deps.config;
  return viewScan(row, { isOwner, isCached, newToken, knownToken: token, installation, publicUrl });
}
