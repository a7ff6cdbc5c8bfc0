import { clock } from "../../../src/lib/clock";
import { sha256Hex } from "../../../src/lib/ids";
import type { TestApp } from "./app";

/** Gives the owner's browser a fresh sign-in, for suites that move the clock on. */
export function confirmSignIn({ deps: { control }, cookie }: TestApp): void {
  const secret = cookie.slice(cookie.indexOf("=") + 1);
  control.credentials.confirmSession(sha256Hex(secret), clock.nowMs());
}
