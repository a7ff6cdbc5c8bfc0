/** The API's answers about what the server sends, as far as they are shown. */
export interface Target {
  readonly to: string;
  readonly state: "active" | "pending" | "stopped";
}

export interface Alert {
  readonly id: string;
  readonly name: string;
  readonly kind: "change" | "silence" | "surge" | "goal";
  readonly event?: string;
  /** One message for each event: it has no count. */
  readonly each?: boolean;
  readonly to: readonly Target[];
  readonly state: "learning" | "ok" | "firing";
  readonly since: string;
  readonly history: readonly { readonly from: string }[];
}

export interface Report {
  readonly id: string;
  readonly every: "week" | "month";
  readonly hour: number;
  readonly filters?: readonly unknown[];
  readonly recipients: readonly Target[];
  readonly next_at?: string;
  readonly stopped_at?: string;
  readonly last?: { readonly sent_at: string; readonly sent: number; readonly failed: number };
}
export interface AlertsAnswer {
  readonly alerts: readonly Alert[];
  readonly mail: boolean;
}
export interface ReportsAnswer {
  readonly reports: readonly Report[];
  readonly mail: boolean;
}
export interface PreviewAnswer {
  readonly subject: string;
  readonly text: string;
}

export interface Webhook {
  readonly id: string;
  readonly name: string;
  readonly url: string;
  readonly enabled: boolean;
  readonly failing_since?: string;
  readonly disabled_reason?: "owner" | "gone" | "failing";
}
export interface WebhooksAnswer {
  readonly webhooks: readonly Webhook[];
}
export interface NewWebhook extends Webhook {
  readonly secret?: string;
}
export interface Delivery {
  readonly id: string;
  readonly type: string;
  readonly created_at: string;
  readonly state: "queued" | "delivered" | "failed";
  readonly status?: number;
  readonly error?: string;
}
export interface DeliveriesAnswer {
  readonly deliveries: readonly Delivery[];
}
export interface TestAnswer {
  readonly delivery: Delivery;
}

export interface MailState {
  readonly configured: boolean;
  readonly missing: readonly string[];
  readonly queued: number;
  readonly sent_24h: number;
  readonly failed_24h: number;
  readonly messages: readonly {
    readonly kind: string;
    readonly to: string;
    readonly state: string;
    readonly error?: string;
    readonly created_at: string;
  }[];
}
