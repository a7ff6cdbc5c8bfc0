import { desc, eq, isNull, sql } from "drizzle-orm";
import { feedbackListMax } from "../../domain/limits";
import { clock } from "../../lib/clock";
import { newId } from "../../lib/ids";
import type { Control } from "./control";
import { account, feedback } from "./tables";

type FeedbackRow = typeof feedback.$inferSelect;

/** The feedback of one account that is kept; beyond this the oldest is deleted. */
export const feedbackKeptMax = 1_000;

type Said = Pick<FeedbackRow, "accountId" | "message"> &
  Partial<Pick<FeedbackRow, "project" | "command" | "context">>;

export const addFeedback = (control: Control, said: Said): void =>
  control.write(() => {
    control.db
      .insert(feedback)
      .values({ ...said, id: newId("fb"), createdAtMs: clock.nowMs() })
      .run();
    keepNewest(control, said.accountId);
  });

/** A program that says something with every run piles up nothing. */
function keepNewest({ db }: Control, accountId: string): void {
  db.run(sql`
    delete from feedback
    where id in (
      select id from feedback
      where account_id = ${accountId}
      order by created_at desc, rowid desc
      limit -1 offset ${feedbackKeptMax}
    )`);
}

/** Newest first. What deleted accounts said is gone with them. */
export const newestFeedback = ({ db }: Control): FeedbackRow[] =>
  db
    .select({ said: feedback })
    .from(feedback)
    .innerJoin(account, eq(account.id, feedback.accountId))
    .where(isNull(account.deletedAtMs))
    .orderBy(desc(feedback.createdAtMs), desc(feedback.id))
    .limit(feedbackListMax)
    .all()
    .map(({ said }) => said);
