import { and, desc, eq, gt, sql } from "drizzle-orm";
import { clock } from "../../lib/clock";
import type { Control } from "./control";
import { cookieSession } from "./member-tables";

const idChars = 16;
/** Enough of the hash to tell sessions apart; the secret cannot be found from it. */
export const idOfBrowserSession = (hash: string): string => hash.slice(0, idChars);

/** The one seen last comes first. */
export const browserSessionsOf = ({ db }: Control, personId: string) =>
  db
    .select()
    .from(cookieSession)
    .where(and(eq(cookieSession.personId, personId), gt(cookieSession.expiresAtMs, clock.nowMs())))
    .orderBy(desc(cookieSession.expiresAtMs), desc(cookieSession.createdAtMs))
    .all();

export const endBrowserSession = (control: Control, personId: string, id: string): boolean =>
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
