import { and, desc, eq, gt, sql } from "drizzle-orm";
import { clock } from "../../lib/clock";
import type { Control } from "./control";
import { cookieSession } from "./tables";

const idChars = 16;
/** Enough of the hash to tell sessions apart; the secret cannot be found from it. */
export const idOfBrowserSession = (hash: string): string => hash.slice(0, idChars);

/** The one seen last comes first. */
export const browserSessionsOf = ({ db }: Control, accountId: string) =>
  db
    .select()
    .from(cookieSession)
    .where(
      and(eq(cookieSession.accountId, accountId), gt(cookieSession.expiresAtMs, clock.nowMs())),
    )
    .orderBy(desc(cookieSession.expiresAtMs), desc(cookieSession.createdAtMs))
    .all();

export const endBrowserSession = (control: Control, accountId: string, id: string): boolean =>
  control.write(() => {
    const ended = control.db
      .delete(cookieSession)
      .where(
        and(
          eq(cookieSession.accountId, accountId),
          eq(sql`substr(${cookieSession.hash}, 1, ${idChars})`, id),
        ),
      )
      .returning({ hash: cookieSession.hash })
      .all();
    return ended.length > 0;
  });
