import { and, asc, count, eq } from "drizzle-orm";
import { invalidField } from "../../domain/errors";
import { webhooksPerAccountMax } from "../../domain/webhook/events";
import { newWebhookSecret } from "../../domain/webhook/signature";
import { clock, dayMs } from "../../lib/clock";
import { newId } from "../../lib/ids";
import { Seal } from "../../lib/seal";
import type { ControlConnection } from "./database";
import { type WebhookRow, webhook, webhookDelivery } from "./webhook-tables";

/** After a rotation both secrets sign for this long. */
const bothSignMs = dayMs;

export type WebhookControl = ControlConnection & { readonly identitySecret: string };

/** The webhooks of accounts. */
export function webhookQueries(control: WebhookControl) {
  const { db } = control;
  const seal = new Seal(control.identitySecret, "webhooks");
  const ofId = (id: string) => eq(webhook.id, id);
  const change = (id: string, set: Partial<WebhookRow>): void =>
    control.write(() => {
      db.update(webhook).set(set).where(ofId(id)).run();
    });
  return {
    byId: (id: string): WebhookRow | undefined => db.select().from(webhook).where(ofId(id)).get(),
    /** Oldest first. */
    ofAccount: (accountId: string): readonly WebhookRow[] =>
      db
        .select()
        .from(webhook)
        .where(eq(webhook.accountId, accountId))
        .orderBy(asc(webhook.createdAtMs), asc(webhook.id))
        .all(),
    urlOf: ({ id, sealedUrl }: WebhookRow): string => seal.open(sealedUrl, id) ?? "",
    /** The secrets that sign now. */
    secretsOf(row: WebhookRow, nowMs: number): readonly string[] {
      const isFormerGood = row.formerUntilMs !== null && nowMs < row.formerUntilMs;
      return [row.sealedSecret, isFormerGood ? row.sealedFormerSecret : null].flatMap((sealed) => {
        const secret = sealed === null ? null : seal.open(sealed, row.id);
        return secret === null ? [] : [secret];
      });
    },
    /** Adds a webhook; the secret that signs is told this once. */
    add({ url, ...made }: NewWebhook): {
      readonly row: WebhookRow;
      readonly secret: string | null;
    } {
      return control.write(() => {
        const { accountId } = made;
        const of = db
          .select({ rows: count() })
          .from(webhook)
          .where(eq(webhook.accountId, accountId));
        if ((of.get()?.rows ?? 0) >= webhooksPerAccountMax) {
          throw invalidField(
            "url",
            `An account can have at most ${webhooksPerAccountMax} webhooks. Delete one first.`,
          );
        }
        const id = newId("whk");
        const secret = made.kind === "signed" ? newWebhookSecret() : null;
        const sealed = {
          sealedUrl: seal.close(url, id),
          sealedSecret: secret === null ? null : seal.close(secret, id),
        };
        const values = { id, ...made, ...sealed, createdAtMs: clock.nowMs() };
        return { row: db.insert(webhook).values(values).returning().get(), secret };
      });
    },
    change,
    rotate(row: WebhookRow): string {
      const secret = newWebhookSecret();
      change(row.id, {
        sealedSecret: seal.close(secret, row.id),
        sealedFormerSecret: row.sealedSecret,
        formerUntilMs: clock.nowMs() + bothSignMs,
      });
      return secret;
    },
    /** Switches it off, with everything that waits for it. */
    disable: (id: string, reason: NonNullable<WebhookRow["disabledReason"]>): void =>
      control.write(() => {
        change(id, { enabled: false, disabledReason: reason });
        db.update(webhookDelivery)
          .set({ state: "failed" })
          .where(and(eq(webhookDelivery.webhookId, id), eq(webhookDelivery.state, "queued")))
          .run();
      }),
    drop: (id: string): void =>
      control.write(() => {
        db.delete(webhook).where(ofId(id)).run();
      }),
  };
}

export type NewWebhook = Pick<
  WebhookRow,
  "accountId" | "projectId" | "name" | "kind" | "events"
> & { readonly url: string };
