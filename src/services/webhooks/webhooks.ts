import type { AllowedHost } from "../../config-addresses";
import type { WebhookEvent, WebhookMessage } from "../../domain/webhook/events";
import type { QueuedMessage } from "../../domain/webhook/forms";
import { deliveryWaitMs, failingMsMax, type Tried } from "../../domain/webhook/retries";
import { unsafeUrl } from "../../domain/webhook/url";
import { clock, secondMs } from "../../lib/clock";
import { log } from "../../lib/log";
import type { Control } from "../../store/control/control";
import type { DeliveryRow, WebhookRow } from "../../store/control/webhook-tables";
import type { MessageNetwork } from "../page-fetch/network";
import { checkedAddress, deliver, reasonOf } from "./delivery";

interface Parts {
  readonly control: Control;
  readonly network: MessageNetwork;
  readonly allowHosts: readonly AllowedHost[];
  /** Known when the server listens. */
  publicUrl(): string;
  /** Tells the members of an account that their webhook was switched off. */
  readonly onOff: (row: WebhookRow) => void;
}

const atOnceMax = 4;
const lookEveryMs = 1 * secondMs;
const lookUpMsMax = 5 * secondMs;
const closeMsMax = 5 * secondMs;

/** Messages to addresses of owners: a queue in control.db, of which some are on their way at a time. */
export class Webhooks {
  /** Since the start, by what became of them. */
  readonly totals = { delivered: 0, delayed: 0, failed: 0, dropped: 0 };
  readonly #parts: Parts;
  readonly #timer: ReturnType<typeof setInterval>;
  /** The tries that run, by webhook. */
  readonly #running = new Map<string, Promise<void>>();
  #isClosed = false;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#timer = setInterval(this.#wake, lookEveryMs);
    setTimeout(this.#wake, 0);
  }

  /** Queues a message to the webhooks of an account. Runs within the transaction of what causes it. */
  queue(
    accountId: string,
    projectId: string | null,
    event: WebhookEvent,
    data: WebhookMessage["data"],
    shown: Pick<WebhookMessage, "lines"> & { readonly path: string },
  ): void {
    const message = {
      type: event,
      data,
      lines: shown.lines,
      url: this.#parts.publicUrl() + shown.path,
    };
    this.totals.dropped += this.#parts.control.deliveries.add(accountId, projectId, message);
    setTimeout(this.#wake, 0);
  }

  /** Queues a message to one webhook, if it is on, and returns its id. Runs within the transaction of its cause. */
  queueTo(
    webhookId: string,
    event: WebhookEvent,
    data: WebhookMessage["data"],
    shown: Pick<WebhookMessage, "lines"> & { readonly path: string },
  ): string | null {
    const { control, publicUrl } = this.#parts;
    const row = control.webhooks.byId(webhookId);
    if (row?.enabled !== true) return null;
    const message = { type: event, data, lines: shown.lines, url: publicUrl() + shown.path };
    const { id } = control.deliveries.addTo(row, message);
    setTimeout(this.#wake, 0);
    return id;
  }

  /** Queues a message about the server itself, to the webhooks of its administrators. */
  queueOfServer(
    event: WebhookEvent,
    data: WebhookMessage["data"],
    shown: Pick<WebhookMessage, "lines"> & { readonly path: string },
  ): void {
    for (const accountId of this.#parts.control.deliveries.accountsOfAdmins()) {
      this.queue(accountId, null, event, data, shown);
    }
  }

  /** Refuses an address that leads inward now. Each try checks it again. */
  async refuseUnsafe(url: URL): Promise<void> {
    const { network, allowHosts } = this.#parts;
    const signal = AbortSignal.timeout(lookUpMsMax);
    try {
      await checkedAddress(network, url, allowHosts, signal);
    } catch (error) {
      // A name without an address may have one when something happens.
      if (reasonOf(error, signal) === "unsafe") throw unsafeUrl("leads to a private network");
    }
  }

  /** Sends a message at once, beside the queue, and returns what became of it. */
  async test(row: WebhookRow): Promise<DeliveryRow> {
    const { control, publicUrl } = this.#parts;
    const message: WebhookMessage = {
      ...{ type: "webhook.test", data: {}, url: publicUrl() },
      lines: [`Test of the webhook "${row.name}": it works.`],
    };
    const delivery = control.write(() => control.deliveries.addTo(row, message));
    const running = this.#running.get(row.id);
    if (running !== undefined) await running;
    const left = control.deliveries.byId(delivery.id);
    if (left?.state === "queued") await this.#run(row, left);
    return control.deliveries.byId(delivery.id) ?? delivery;
  }

  /** Makes the tries that are due, and waits for them. */
  async sendDue(): Promise<void> {
    do {
      this.#start();
      await Promise.all(this.#running.values());
    } while (!this.#isClosed && this.#next() !== undefined);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#timer);
    await Promise.race([Promise.all(this.#running.values()), Bun.sleep(closeMsMax)]);
  }

  readonly #wake = (): void => this.#start();

  #next() {
    return this.#parts.control.deliveries.next(clock.nowMs(), [...this.#running.keys()]);
  }

  #start(): void {
    while (!this.#isClosed && this.#running.size < atOnceMax) {
      const next = this.#next();
      if (next === undefined) return;
      void this.#run(next.webhook, next.delivery);
    }
  }

  #run(row: WebhookRow, delivery: DeliveryRow): Promise<void> {
    const running = this.#try(row, delivery)
      .catch((error: unknown) => {
        const why = error instanceof Error ? error.name : "unknown";
        log("error", "a try of a webhook could not be noted", { why });
      })
      .finally(() => {
        this.#running.delete(row.id);
        setTimeout(this.#wake, 0);
      });
    this.#running.set(row.id, running);
    return running;
  }

  async #try(row: WebhookRow, delivery: DeliveryRow): Promise<void> {
    const { control } = this.#parts;
    const url = control.webhooks.urlOf(row);
    const secrets = control.webhooks.secretsOf(row, clock.nowMs());
    const message: QueuedMessage = JSON.parse(delivery.message);
    const target = URL.canParse(url) ? { kind: row.kind, url: new URL(url), secrets } : null;
    const tried: Tried =
      target === null
        ? { error: "unsafe", ms: 0 }
        : await deliver(this.#parts, delivery.id, target, message);
    this.#note(row, delivery, tried);
  }

  #note(row: WebhookRow, delivery: DeliveryRow, tried: Tried): void {
    const { control, onOff } = this.#parts;
    const isDelivered = tried.error === undefined;
    const waitMs = isDelivered ? null : deliveryWaitMs(delivery.tries + 1, tried);
    const nowMs = clock.nowMs();
    this.totals[isDelivered ? "delivered" : waitMs === null ? "failed" : "delayed"] += 1;
    control.write(() => {
      control.deliveries.note(
        delivery,
        tried,
        isDelivered,
        waitMs === null ? null : nowMs + waitMs,
      );
      const { failingSinceMs } = control.webhooks.byId(row.id) ?? row;
      const isOver = failingSinceMs !== null && nowMs - failingSinceMs >= failingMsMax;
      if (tried.status !== 410 && (isDelivered || !isOver)) return;
      control.webhooks.disable(row.id, tried.status === 410 ? "gone" : "failing");
      onOff(row);
    });
  }
}
