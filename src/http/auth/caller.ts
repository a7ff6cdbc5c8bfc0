import type { Config } from "../../config";
import type { Caller } from "../../domain/caller";
import { ApiError } from "../../domain/errors";
import { cookieSessionMs } from "../../domain/limits";
import { effectiveTier, tierLimits } from "../../domain/plan";
import { clock, dayMs } from "../../lib/clock";
import { sha256Hex } from "../../lib/ids";
import type { CredentialHolder, SessionHolder } from "../../store/control/credentials";
import type { Deps } from "../deps";
import { queryOf } from "../edge/url";
import { foreignPage, isOwnOrigin } from "./own-origin";
import { isRenewable, sessionCookie, sessionSecretsOf } from "./session-cookie";

/** A cookie in use is renewed when this much of its time is gone, not with every request. */
const cookieRenewalMs = 1 * dayMs;

type CallerDeps = Pick<Deps, "control" | "config" | "usage">;

/**
 * The first credential present decides (docs/api/query.md). Null when there is none; throws INVALID_TOKEN for one
 * that is unknown, expired or revoked.
 */
export function identifyCaller(deps: CallerDeps, request: Request): Caller | null {
  return programOf(deps, request) ?? personOf(deps, request);
}

/** The account in which a browser's person acts is named in a header, or in the address of a page. */
const accountHeader = "x-account";
const accountParameter = "account";

/** Identifies the visitor of a page that lets people log in: a browser session that has ended is none. */
export function identifyVisitor(deps: CallerDeps, request: Request): Caller | null {
  const program = programOf(deps, request);
  if (program !== null) return program;
  try {
    return personOf(deps, request);
  } catch (error) {
    if (error instanceof ApiError && error.code === "INVALID_TOKEN") return null;
    throw error;
  }
}

function programOf(deps: CallerDeps, request: Request): Caller | null {
  const program = identifyProgram(deps, request) ?? holderOfKeyInQuery(deps, request);
  if (program === null) return null;
  if (program.isForMcpOnly) throw forMcpOnly(deps.config);
  // A key and an agent session act in the account in which they were made, for good.
  const named = request.headers.get(accountHeader) ?? program.account.id;
  if (named !== program.account.id) throw notInAccount();
  return program;
}

function holderOfKeyInQuery(deps: CallerDeps, request: Request): Caller | null {
  const key = keyInQuery(request);
  return key === null ? null : holderOfKey(deps, key);
}

const notInAccount = (): ApiError =>
  new ApiError(
    "FORBIDDEN",
    "This credential does not belong to the account that the request names. GET /account tells its account.",
  );

const forMcpOnly = ({ publicUrl }: Config): ApiError =>
  new ApiError(
    "FORBIDDEN",
    `This token is only valid for ${publicUrl}/mcp. To use the whole API, sign in again with ` +
      `resource=${publicUrl}.`,
  );

/**
 * Identifies a caller by a header that only programs send: that of an agent session, or the API key. Only `/mcp` asks
 * for no more than this, so it alone takes tokens that are for nothing else.
 */
export function identifyProgram(deps: CallerDeps, { headers }: Request): Caller | null {
  const authorization = headers.get("authorization");
  if (authorization !== null) return callerOfToken(deps, bearerOf(authorization));
  const key = headers.get("x-api-key");
  return key === null ? null : holderOfKey(deps, key);
}

function personOf(deps: CallerDeps, request: Request): Caller | null {
  const secrets = sessionSecretsOf(request.headers);
  if (secrets.length === 0) return null;
  // If there are several cookies the valid one decides: the others may be what somebody else has set.
  const session = sessionOf(deps, secrets);
  if (session === undefined) throw invalid("session cookie", "Sign in again.");
  return holderOfSession(deps, request, actingSession(deps, request, session));
}

/** The session in the account that the request names, if it names one. Throws FORBIDDEN to who is no member of it. */
function actingSession({ control }: CallerDeps, request: Request, session: Session): Session {
  const named = request.headers.get(accountHeader) ?? accountInQuery(request);
  if (named === null || named === session.account.id) return session;
  const found = control.credentials.holderOfSessionIn(named, session.hash, clock.nowMs());
  if (found !== undefined) return { ...found, secret: session.secret };
  throw new ApiError(
    "FORBIDDEN",
    "You are not a member of this account. GET /account lists the accounts that you are a member of.",
  );
}

function accountInQuery(request: Request): string | null {
  const isNamed = request.url.includes(`${accountParameter}=`);
  return isNamed ? queryOf(request).get(accountParameter) : null;
}

interface Session extends SessionHolder {
  readonly secret: string;
}

/** The first browser session that one of the secrets opens. */
export function sessionOf(
  { control }: Pick<Deps, "control">,
  secrets: readonly string[],
): Session | undefined {
  for (const secret of secrets) {
    const found = control.credentials.holderOfSession(sha256Hex(secret), clock.nowMs());
    if (found !== undefined) return { ...found, secret };
  }
  return undefined;
}

/** Throws INVALID_TOKEN when an access token of an agent session is unknown, expired or revoked. */
function callerOfToken(deps: CallerDeps, token: string): Caller {
  const found = deps.control.agents.holderOfToken(sha256Hex(token), clock.nowMs());
  if (found === undefined) throw invalid("access token", "Sign in again.");
  const { id, isDemo, resource } = found;
  if (!isDemo) deps.usage.noteUse(id, { kind: "agent", id });
  const scopes = new Set(found.scopes.split(" "));
  const isForMcpOnly = resource === "mcp";
  return { ...callerOf("agent", found), id, scopes, isDemo, isForMcpOnly };
}

/** Only access tokens of agent sessions are sent so; an API key has a header of its own. */
function bearerOf(authorization: string): string {
  const token = /^Bearer +(aas_\w+)$/i.exec(authorization)?.[1];
  if (token !== undefined) return token;
  const message =
    "Send an agent session as Authorization: Bearer aas_…, and an API key as X-API-Key.";
  throw new ApiError("INVALID_TOKEN", message);
}

function holderOfKey(deps: CallerDeps, key: string): Caller {
  const hash = sha256Hex(key);
  const holder = deps.control.credentials.holderOfKey(hash);
  if (holder === undefined) throw invalid("API key", "Create one in the settings of your account.");
  deps.usage.noteUse(holder.account.id, { kind: "key", id: hash });
  return callerOf("key", holder);
}

function holderOfSession(deps: CallerDeps, request: Request, session: Session): Caller {
  const nowMs = clock.nowMs();
  const { expiresAtMs, hash, secret } = session;
  if (changesSomething(request) && !isOwnOrigin(deps.config, request.headers)) {
    const rule = "A request with the session cookie must come from a page of";
    throw foreignPage(deps.config, rule);
  }
  const isStale = expiresAtMs < nowMs + cookieSessionMs - cookieRenewalMs;
  const setCookie =
    isStale && isRenewable(deps.config, secret) ? renewed(deps, hash, secret, nowMs) : null;
  return { ...callerOfSession(session), setCookie };
}

/** Renewed on use, but not with every request. A disk that is full does not log anybody out. */
function renewed(deps: CallerDeps, hash: string, secret: string, nowMs: number): string | null {
  try {
    deps.control.writeSoon(() => {
      deps.control.credentials.renewSession(hash, nowMs + cookieSessionMs);
    });
    return sessionCookie(deps.config, secret);
  } catch (error) {
    if (error instanceof ApiError) return null;
    throw error;
  }
}

export function callerOf(kind: Caller["kind"], holder: CredentialHolder): Caller {
  const { id, name, complimentary, createdAtMs, requiresTwoFactor } = holder.account;
  const tier = effectiveTier(holder.account);
  const rateLimitRpm = tierLimits[tier].rate_limit_rpm;
  return {
    kind,
    id,
    account: { id, name, tier, complimentary, createdAtMs, rateLimitRpm, requiresTwoFactor },
    person: holder.person,
    standing: holder.standing,
    scopes: noScopes,
    isDemo: false,
    isForMcpOnly: false,
    share: null,
    sessionHash: null,
    signIn: null,
    setCookie: null,
  };
}

/** Returns the person of a browser session. The cookie stays as it is. */
export const callerOfSession = (session: SessionHolder): Caller => ({
  ...callerOf("cookie", session),
  sessionHash: session.hash,
  signIn: {
    ...{ confirmedAtMs: session.confirmedAtMs, hasFactor: session.hasFactor, via: session.via },
  },
});

const noScopes: ReadonlySet<string> = new Set();

function keyInQuery(request: Request): string | null {
  // Nearly no request carries its key there, and parsing a query costs more than looking for one.
  return request.url.includes("key=") ? queryOf(request).get("key") : null;
}

const changesSomething = ({ method }: Request): boolean => method !== "GET" && method !== "HEAD";

const invalid = (what: string, nextStep: string): ApiError =>
  new ApiError(
    "INVALID_TOKEN",
    `This ${what} is invalid: it is unknown, expired or revoked. ${nextStep}`,
  );
