import { randomBytes } from "node:crypto";
import type { Config } from "../config";
import { cookieSessionMs } from "../domain/limits";
import { secondMs } from "../lib/clock";

type Addressed = Pick<Config, "publicUrl">;

const name = "sl_session";
const secretBytes = 32;
const secretForm = /(?:^|;)\s*sl_session=([^;]*)/;

/** What a browser holds; the database has its hash. */
export const newSessionSecret = (): string => randomBytes(secretBytes).toString("hex");

/** The secret in the Cookie header; an empty one is a cookie that was cleared. */
export function sessionSecretOf(headers: Headers): string | null {
  const cookie = headers.get("cookie");
  return (cookie === null ? null : secretForm.exec(cookie)?.[1]?.trim()) || null;
}

export const sessionCookie = (config: Addressed, secret: string): string =>
  `${name}=${secret}; Max-Age=${cookieSessionMs / secondMs}${attributes(config)}`;

export const clearedCookie = (config: Addressed): string =>
  `${name}=; Max-Age=0${attributes(config)}`;

const attributes = ({ publicUrl }: Addressed): string =>
  `; Path=/; HttpOnly; SameSite=Lax${publicUrl.startsWith("https:") ? "; Secure" : ""}`;
