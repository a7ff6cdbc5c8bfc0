import Type from "typebox";
import { type Caller, memberOf } from "../../../domain/caller";
import { ApiError } from "../../../domain/errors";
import { identifyVisitor } from "../../../http/auth/caller";
import { requireFreshSignIn } from "../../../http/auth/fresh-sign-in";
import type { Deps } from "../../../http/deps";
import { free } from "../../../http/operation/facts";
import { nothing } from "../../../http/operation/input";
import { publicOperation } from "../../../http/operation/public-operation";
import { htmlType } from "../../../http/pages/html";
import { schema } from "../../../lib/schema";
import { Oidc, type OidcPerson } from "../../../services/oidc/oidc";
import { linkIdentity, personOfIdentity } from "../../../store/control/oidc-identities";
import { personById } from "../../../store/control/people";
import { openSession } from "../sign-in";
import { type OidcTrip, oidcCookie, tripOf } from "./cookie";
import { findPerson } from "./find-person";

const OidcStart = schema(
  Type.Object(
    {
      next: Type.Optional(
        Type.String({ maxLength: 2_048, description: "The path of this server to go on to." }),
      ),
      link: Type.Optional(
        Type.Enum(["1"], { description: "Links the provider's person to who is logged in." }),
      ),
    },
    { $id: "OidcStart" },
  ),
);

/** Single sign-on by OpenID Connect. Without a provider its paths do not exist. */
export const oidcRoutes = (deps: Deps) => {
  const { oidc: settings, publicUrl } = deps.config;
  const oidc = settings === null ? null : new Oidc(settings, `${publicUrl}/auth/oidc/callback`);
  return [startRoute(deps, oidc), callbackRoute(deps, oidc)];
};

const errors = ["NOT_FOUND", "FORBIDDEN", "CONFIRM_REQUIRED"] as const;
const doc = { tag: "Sign-in", errors, produces: htmlType, redirects: "always" } as const;

const startRoute = (deps: Deps, oidc: Oidc | null) =>
  publicOperation("GET /auth/oidc", {
    access: free("none"),
    isPage: true,
    doc: {
      id: "startSingleSignOn",
      summary: "Log in by single sign-on",
      description: "Leads a browser to the provider's log-in, and back to `next`.",
      ...doc,
    },
    takes: OidcStart,
    returns: {},
    handle: async ({ input, request }) => {
      if (oidc === null) throw notConfigured();
      const linksTo = input.link === undefined ? null : personToLink(deps, request);
      const begun = await oidc.begin();
      if (begun === null) return failed(deps, "oidc_unavailable");
      const trip = { secrets: begun.secrets, next: input.next ?? "", linksTo };
      const headers = { "set-cookie": oidcCookie(deps.config, deps.control, trip) };
      return redirect(begun.url, headers);
    },
  });

/** Another site could otherwise lead a person here, and link its own log-in to theirs. */
function personToLink(deps: Deps, request: Request): string {
  const caller = callerOf(deps, request);
  if (caller === null || request.headers.get("sec-fetch-site") !== "same-origin") {
    throw new ApiError("FORBIDDEN", "Link single sign-on in the settings, under Security.");
  }
  requireFreshSignIn(caller);
  return memberOf(caller).personId;
}

function callerOf(deps: Deps, request: Request): Caller | null {
  const caller = identifyVisitor(deps, request);
  return caller?.kind === "cookie" ? caller : null;
}

const callbackRoute = (deps: Deps, oidc: Oidc | null) =>
  publicOperation("GET /auth/oidc/callback", {
    access: free("none"),
    ...{ isPage: true, isLenient: true },
    doc: {
      id: "finishSingleSignOn",
      summary: "Come back from single sign-on",
      description: "The provider leads the browser here. The response sets a cookie.",
      ...doc,
    },
    takes: nothing,
    returns: {},
    handle: async ({ request }) => {
      if (oidc === null) throw notConfigured();
      const trip = tripOf(deps.control, request.headers);
      if (trip === null) return failed(deps, "oidc_refused");
      const found = await oidc.finish(new URL(request.url).search, trip.secrets);
      if (typeof found === "string") return failed(deps, found);
      if (trip.linksTo !== null) return link(deps, request, trip.linksTo, found);
      return enter(deps, request, trip, found);
    },
  });

async function enter(
  deps: Deps,
  request: Request,
  { next }: OidcTrip,
  found: OidcPerson,
): Promise<Response> {
  const person = await findPerson(deps, found);
  if (typeof person === "string") return failed(deps, person);
  const { cookie } = openSession(deps, person.id, request, "oidc");
  return redirect(addressOf(deps, next), { "set-cookie": cookie });
}

/** The log-in in this browser must still be that of who asked for it. */
function link(deps: Deps, request: Request, personId: string, found: OidcPerson): Response {
  const { control, config } = deps;
  const caller = callerOf(deps, request);
  const person = personById(control, personId);
  if (person === undefined || caller?.person?.id !== personId) return failed(deps, "oidc_refused");
  const linkedTo = personOfIdentity(control, found)?.id;
  if (linkedTo !== undefined && linkedTo !== personId) return failed(deps, "oidc_refused");
  if (linkedTo === undefined) control.write(() => linkIdentity(control, person, found));
  return redirect(`${config.publicUrl}/app/settings`);
}

/** The address of `next`, if it is a path of this origin. It is written whole: `//host` would be another one. */
function addressOf({ config: { publicOrigin, publicUrl } }: Deps, next: string): string {
  const home = `${publicUrl}/app`;
  if (!next.startsWith("/") || !URL.canParse(next, publicOrigin)) return home;
  const { origin, pathname, search, hash } = new URL(next, publicOrigin);
  return origin === publicOrigin ? origin + pathname + search + hash : home;
}

const failed = ({ config }: Deps, error: string): Response =>
  redirect(`${config.publicUrl}/login?error=${error}`);

const redirect = (location: string, headers: Readonly<Record<string, string>> = {}): Response =>
  new Response(null, { status: 302, headers: { ...headers, location } });

const notConfigured = (): ApiError =>
  new ApiError("NOT_FOUND", "This server has no single sign-on. Log in with your password.");
