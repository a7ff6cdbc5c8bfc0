/*
 * Under https the cookie has a name of its own.
 * Decision: with an https PUBLIC_URL the cookie is `__Host-sl_session`, its secrets begin with `host_`, and neither
 * counts under the plain name. Of several cookies the first valid one decides, of 16.
 * Because: a sibling host, or the same host by plain http, can set a cookie beside ours, to shut a person out or to
 * log them in as somebody else.
 * Cost: sessions from before the server had https are not made longer: within 30 days each of these people logs in
 * again.
 */

import { randomBytes } from "node:crypto";
import type { Config } from "../../config";
import { cookieSessionMs } from "../../domain/limits";
import { secondMs } from "../../lib/clock";
import { cookiePathOf } from "../edge/base-path";

type Addressed = Pick<Config, "publicUrl" | "basePath">;

const plainName = "sl_session";
/** Browsers take a cookie of such a name from its own host by https alone: no sibling host can put one beside ours. */
const hostName = `__Host-${plainName}`;
/** Below a path the cookie has that path, which the other name forbids. Other programs of the origin can set it too. */
const pathName = `__Secure-${plainName}`;
const cookieForm = /(?:^|;)\s*((?:__Host-|__Secure-)?sl_session)=([^;]*)/g;

/** Begins the secrets that were given out by https, so that nobody can bring one in under the plain name. */
const hostMark = "host_";
const pathMark = "path_";
const secretBytes = 32;

/** More are some other site's doing; each one costs a look into the database. */
const secretsMax = 16;

/** Makes the secret of a session that its browser keeps; the database has its hash. */
export const newSessionSecret = (config: Addressed): string =>
  `${markOf(config)}${randomBytes(secretBytes).toString("hex")}`;

/**
 * The secrets in the Cookie header. There may be several: a cookie that another path, a sibling host or an earlier
 * version of this server has set stays beside ours. An empty one is a cookie that was cleared.
 */
export function sessionSecretsOf(headers: Headers): readonly string[] {
  const cookie = headers.get("cookie");
  if (cookie === null) return [];
  return [...cookie.matchAll(cookieForm)]
    .map(([, name = "", value = ""]) => ({ name, secret: value.trim() }))
    .filter(({ name, secret }) => secret !== "" && name === nameOf(secret))
    .slice(0, secretsMax)
    .map(({ secret }) => secret);
}

/** A session from before the server had its https address is used up, and not made longer. */
export const isRenewable = (config: Addressed, secret: string): boolean =>
  nameOf(secret) === nameOf(markOf(config));

export const sessionCookie = (config: Addressed, secret: string): string =>
  `${nameOf(secret)}=${secret}; Max-Age=${cookieSessionMs / secondMs}${attributes(config)}`;

export const clearedCookie = (config: Addressed): string =>
  `${nameOf(markOf(config))}=; Max-Age=0${attributes(config)}`;

function nameOf(secret: string): string {
  if (secret.startsWith(hostMark)) return hostName;
  return secret.startsWith(pathMark) ? pathName : plainName;
}

function markOf(config: Addressed): string {
  if (!isHttps(config)) return "";
  return config.basePath === "" ? hostMark : pathMark;
}

const isHttps = ({ publicUrl }: Addressed): boolean => publicUrl.startsWith("https:");

const attributes = (config: Addressed): string =>
  `; Path=${cookiePathOf(config)}; HttpOnly; SameSite=Lax${isHttps(config) ? "; Secure" : ""}`;
