import { and, desc, eq, gt, type Placeholder, sql } from "drizzle-orm";
import { clock, dayMs } from "../../lib/clock";
import type { ControlConnection } from "./database";
import { cookieSession } from "./member-tables";

/** However much a browser session is used, it ends this long after the log-in. */
export const cookieSessionMsMax = 365 * dayMs;

/** The provider of single sign-on may have locked the person out meanwhile: after this time they log in again. */
export const oidcSessionMsMax = 7 * dayMs;

const idChars = 16;
/** Enough of the hash to tell sessions apart; the secret cannot be found from it. */
export const idOfBrowserSession = (hash: string): string => hash.slice(0, idChars);

const longest = sql`case ${cookieSession.via}
  when 'oidc' then ${oidcSessionMsMax} else ${cookieSessionMsMax} end`;

/** A session ends when it was not used for a while, and some time after the log-in in any case. */
export const isLive = (nowMs: number | Placeholder) =>
  and(
    gt(cookieSession.expiresAtMs, nowMs),
    gt(sql`${cookieSession.createdAtMs} + ${longest}`, nowMs),
  );

/** The one seen last comes first. */
export const browserSessionsOf = ({ db }: ControlConnection, personId: string) =>
  db
    .select()
    .from(cookieSession)
    .where(and(eq(cookieSession.personId, personId), isLive(clock.nowMs())))
    .orderBy(desc(cookieSession.expiresAtMs), desc(cookieSession.createdAtMs))
    .all();

export const endBrowserSession = (
  control: ControlConnection,
  personId: string,
  id: string,
): boolean =>
  control.write(() => {
    const ended = control.db
      .delete(cookieSession)
      .where(
        and(
          eq(cookieSession.personId, personId),
          eq(sql`substr(${cookieSession.hash}, 1, ${idChars})`, id),
        ),
      )
      .returning({ hash: cookieSession.hash })
      .all();
    return ended.length > 0;
  });
