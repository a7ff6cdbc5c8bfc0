import { ApiError } from "../../domain/errors";
import type { FilterItem } from "../../domain/filter-items";
import { type Selection, selectionOf } from "../../domain/metric";
import { type Days, daysOf } from "../../domain/period";
import { zoneOfRead } from "../../domain/time-zone-name";
import { spendRequest } from "../../http/auth/gate";
import { narrowed } from "../../http/auth/share-access";
import { callerOfShare, heldBy } from "../../http/auth/share-caller";
import { isCookieOf, shareCookie, shareCookiesOf } from "../../http/auth/share-cookie";
import { requireSharePassword } from "../../http/auth/share-password";
import type { Deps } from "../../http/deps";
import type { RequestContext } from "../../http/edge/request-context";
import { readBody } from "../../http/operation/checks";
import { nothing } from "../../http/operation/input";
import { operation } from "../../http/operation/operation";
import { htmlType, pageHeaders } from "../../http/pages/html";
import { clock } from "../../lib/clock";
import type { ShareHolder } from "../../store/control/shares";
import type { Read } from "../../store/port";
import { type Overview, passwordPage, sharedPage } from "./page";

interface OverviewQuestion {
  readonly projectId: string;
  readonly days: Days;
  readonly selection: Selection;
  readonly filters?: readonly FilterItem[] | undefined;
  readonly limit: number;
}
/** POST /query of features/query: a page and a program that ask the same get the same. */
export type OverviewRead = Read<OverviewQuestion, { readonly rows: readonly Row[] }>;
type Row = Readonly<Record<string, string | number | null>>;

const tag = "Views and shares";
const formCharsMax = 4_096;
const overviewEvents = 10;

/** The page of a share. Its token stands in the address; a password is asked for once. */
export const sharedPageRoutes = (deps: Deps, overviewRead: OverviewRead) => [
  pageRoute(deps, overviewRead),
  formRoute(deps),
];

const pageRoute = (deps: Deps, overviewRead: OverviewRead) => {
  const doc = {
    id: "viewShare",
    summary: "The page on which others see a project's numbers",
    description:
      "Where the `url` of a share leads: who shares what and since when, a question for the password if there is " +
      "one, and the main numbers of the last 30 days under the share's filters.",
    tag,
    errors: ["INVALID_TOKEN", "RATE_LIMITED"],
  } as const;
  return operation(
    "GET /share/{token}",
    { doc, takes: nothing, returns: {} },
    {
      answer: async (context) => {
        await readBody(context);
        const holder = holderOf(context);
        const { share } = holder;
        const isOpen =
          share.passwordHash === null ||
          shareCookiesOf(context.request).some((cookie) => isCookieOf(deps.control, share, cookie));
        if (!isOpen) return html(holder, passwordPage(holder, null), 200);
        const overview = await overviewOf(context, overviewRead, holder);
        const page = html(holder, sharedPage(holder, overview), 200);
        page.headers.set("set-cookie", shareCookie(deps.config, deps.control, share));
        return page;
      },
    },
  );
};

const formRoute = (deps: Deps) => {
  const doc = {
    id: "openShare",
    summary: "Give a shared page its password",
    description:
      "What the form of a shared page sends, as `password`. The answer sets the page's cookie and leads back to it. " +
      "After 10 wrong ones from one network the share is locked there for 15 minutes.",
    tag,
    errors: ["INVALID_TOKEN", "INVALID_CREDENTIALS", "RATE_LIMITED"],
    redirects: "always",
  } as const;
  return operation(
    "POST /share/{token}",
    { doc, takes: nothing, returns: {} },
    {
      answer: async (context) => {
        const text = await readBody(context, formCharsMax);
        const holder = holderOf(context);
        const { share } = holder;
        try {
          const network = deps.rates.networkKey(deps.server.peerOf(context.request).address);
          const password = new URLSearchParams(text).get("password") ?? "";
          if (share.passwordHash !== null) {
            await requireSharePassword(deps.passwords, share, network, password);
          }
        } catch (error) {
          const isTold = error instanceof ApiError && /^(401|429)$/.test(String(error.status));
          if (!isTold) throw error;
          return html(holder, passwordPage(holder, error.message), error.status);
        }
        return new Response(null, {
          status: 302,
          headers: {
            ...headersOf(holder),
            location: `/share/${context.params.token}`,
            "set-cookie": shareCookie(deps.config, deps.control, share),
          },
        });
      },
    },
  );
};

function holderOf({ deps, params }: RequestContext): ShareHolder {
  const holder = heldBy(deps.control.shares.holderOfToken(params.token ?? ""));
  spendRequest(deps, callerOfShare(holder));
  return holder;
}

/** What the share's own token would be told, by the same read and under the same filters. */
async function overviewOf(
  { deps, request, arrivedAtMs }: RequestContext,
  read: OverviewRead,
  { share, owner }: ShareHolder,
): Promise<Overview> {
  const project = deps.control.projects.byId(share.projectId);
  const zone = project && zoneOfRead(undefined, project);
  const days = daysOf({ since: "29d", until: undefined, nowMs: clock.nowMs(), zone });
  const metrics = ["unique_users", "session_count", "event_count"];
  const ask = async (group_by: string[], limit: number): Promise<readonly Row[]> => {
    const selection = selectionOf({
      ...{ metrics, group_by, count_mode: "raw" },
      ...{ order_by: "event_count", order: "desc" },
    });
    const question = { projectId: share.projectId, days, selection, limit };
    const filtered = narrowed({ share }, read, question);
    const { signal } = request;
    const asker = { accountId: owner.id, signal, arrivedAtMs };
    const answer: { rows: readonly Row[] } = JSON.parse(
      (await deps.store.read(read, filtered, asker)).json,
    );
    return answer.rows;
  };
  const [total = {}] = await ask([], 1);
  return { days, total, events: await ask(["event"], overviewEvents) };
}

const html = (holder: ShareHolder, text: string, status: number): Response =>
  new Response(text, { status, headers: { ...headersOf(holder), "content-type": htmlType } });

/** As any page of ours, but that the pages which the share names may frame it. */
function headersOf({ share: { frame } }: ShareHolder): Record<string, string> {
  const policy = pageHeaders["content-security-policy"] ?? "";
  const ancestors = frame.length === 0 ? "'none'" : frame.join(" ");
  return {
    ...pageHeaders,
    "content-security-policy": policy.replace(
      /frame-ancestors [^;]*/,
      `frame-ancestors ${ancestors}`,
    ),
    "x-robots-tag": "noindex",
  };
}
