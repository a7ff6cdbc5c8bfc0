import { ApiError } from "../../domain/errors";
import { storedFiltersWithNames } from "../../domain/stored-filters";
import { spendRequest } from "../../http/auth/gate";
import { callerOfShare, heldBy } from "../../http/auth/share-caller";
import { isCookieOf, shareCookie, shareCookiesOf } from "../../http/auth/share-cookie";
import type { Deps } from "../../http/deps";
import { retryAfterOf } from "../../http/edge/errors";
import type { RequestContext } from "../../http/edge/request-context";
import { readBody } from "../../http/operation/checks";
import { free } from "../../http/operation/facts";
import { nothing } from "../../http/operation/input";
import { operation } from "../../http/operation/operation";
import { applicationHeaders, htmlType } from "../../http/pages/html";
import type { ShareHolder } from "../../store/control/shares";
import { passwordPage, sinceOf } from "./page";

const tag = "Views and shares";
const formCharsMax = 4_096;

/** The document of the dashboard; what it shows of a share, and of whose, is told by `shared`. */
export type Application = (shared: object) => Promise<string>;

/** The page of a share. Its token stands in the address; a password is asked for once. */
export const sharedPageRoutes = (deps: Deps, application: Application) => [
  pageRoute(deps, application),
  formRoute(deps),
];

const pageRoute = (deps: Deps, application: Application) => {
  const doc = {
    id: "viewShare",
    summary: "Shared page of a project",
    description:
      "The page of a share's `url`: a password form if needed, then the project's dashboard with only the " +
      "shared content, its owner and the date of sharing.",
    tag,
    errors: ["INVALID_TOKEN", "RATE_LIMITED"],
  } as const;
  return operation(
    "GET /share/{token}",
    {
      access: free("none"),
      isPage: true,
      doc,
      takes: nothing,
      returns: {},
    },
    {
      answer: async (context) => {
        await readBody(context);
        const holder = holderOf(context);
        const { share } = holder;
        const isOpen =
          share.passwordHash === null ||
          shareCookiesOf(context.request).some((cookie) => isCookieOf(deps.control, share, cookie));
        if (!isOpen) return html(deps, holder, passwordPage(holder, null));
        const page = html(deps, holder, await application(sharedOf(deps, holder)));
        page.headers.set("set-cookie", shareCookie(deps.config, deps.control, share));
        return page;
      },
    },
  );
};

const formRoute = (deps: Deps) => {
  const doc = {
    id: "openShare",
    summary: "Send the password of a shared page",
    description:
      "The form of a shared page sends `password`. The response sets the page's cookie and redirects to it. " +
      "After 10 wrong passwords from one network, the share is locked for that network for 15 minutes.",
    tag,
    errors: ["INVALID_TOKEN", "INVALID_CREDENTIALS", "RATE_LIMITED"],
    redirects: "always",
  } as const;
  return operation(
    "POST /share/{token}",
    {
      access: free("none"),
      isPage: true,
      doc,
      takes: nothing,
      returns: {},
    },
    {
      answer: async (context) => {
        const text = await readBody(context, formCharsMax);
        const holder = holderOf(context);
        const { share } = holder;
        try {
          const network = deps.rates.networkKey(deps.server.peerOf(context.request).address);
          const password = new URLSearchParams(text).get("password") ?? "";
          if (share.passwordHash !== null) {
            await deps.sharePasswords.require(share, network, password);
          }
        } catch (error) {
          const isTold = error instanceof ApiError && /^(401|429)$/.test(String(error.status));
          if (!isTold) throw error;
          const form = html(deps, holder, passwordPage(holder, error.message), error.status);
          for (const [name, value] of Object.entries(retryAfterOf(error))) {
            form.headers.set(name, value);
          }
          return form;
        }
        return new Response(null, {
          status: 302,
          headers: {
            ...headersOf(deps, holder),
            location: `/share/${context.params.token}${new URL(context.request.url).search}`,
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

/** Tells the dashboard about a share, and what it leaves out because of it. */
function sharedOf(deps: Deps, { share, owner, project: name }: ShareHolder): object {
  const project = deps.control.projects.byId(share.projectId);
  return {
    ...{ name: share.name, project: name, timezone: project?.timezone ?? "UTC" },
    ...{ owner, since: sinceOf(share) },
    ...{ pages: share.pages, filters: storedFiltersWithNames(share.filters) },
  };
}

const html = (deps: Deps, holder: ShareHolder, text: string, status = 200): Response =>
  new Response(text, {
    status,
    headers: { ...headersOf(deps, holder), "content-type": htmlType },
  });

/** Returns the headers of our pages, except that the pages which the share names may frame this one. */
function headersOf({ config }: Deps, { share: { frame } }: ShareHolder): Record<string, string> {
  const headers = applicationHeaders(config.replayViewerOrigin);
  const policy = headers["content-security-policy"] ?? "";
  const ancestors = frame.length === 0 ? "'none'" : frame.join(" ");
  return {
    ...headers,
    "content-security-policy": policy.replace(
      /frame-ancestors [^;]*/,
      `frame-ancestors ${ancestors}`,
    ),
    "x-robots-tag": "noindex",
  };
}
