import type Stripe from "stripe";
import type { Config } from "../../config";
import { ApiError } from "../../domain/errors";
import { assert } from "../../lib/assert";
import { clock, secondMs } from "../../lib/clock";
import { log } from "../../lib/log";

/** The most that the time in a webhook's signature may differ from ours, either way. */
const webhookToleranceMs = 300 * secondMs;
/** One attempt to reach the payment provider may take this long; there are two. */
const paymentProviderMsMax = 8 * secondMs;

type Payments = NonNullable<Config["billing"]>;

export interface Order {
  readonly accountId: string;
  /** The address to which the provider sends the browser back. */
  readonly returnUrl: string;
}

/** The payment provider, which is Stripe or answers as it does. */
export class PaymentProvider {
  readonly #payments: Payments;
  #library: Promise<Stripe> | null = null;

  constructor(payments: Payments) {
    this.#payments = payments;
  }

  /** Makes a checkout session. Returns the address at which a person pays. */
  async openCheckout({ accountId, returnUrl }: Order): Promise<string> {
    const metadata = { account_id: accountId };
    const stripe = await this.#connect();
    try {
      const { url } = await stripe.checkout.sessions.create({
        mode: "subscription",
        line_items: [{ price: this.#payments.priceId, quantity: 1 }],
        client_reference_id: accountId,
        metadata,
        // Invoices repeat it, so they find the account even when they arrive first.
        subscription_data: { metadata },
        success_url: `${returnUrl}?checkout=done`,
        cancel_url: `${returnUrl}?checkout=canceled`,
      });
      if (url !== null && /^https?:/.test(url)) return url;
    } catch (error) {
      log("error", "the payment provider opened no checkout", describeRefusal(error));
    }
    throw new ApiError(
      "UNAVAILABLE",
      "The payment provider could not open a checkout. You were not charged. Try again in a moment.",
    );
  }

  /** Throws INVALID_SIGNATURE unless the provider has signed this very text, and did so now. */
  async requireSignature(text: string, header: string | null): Promise<void> {
    const nowMs = clock.nowMs();
    const isFromNow = timesIn(header ?? "").every(
      (seconds) => Math.abs(nowMs - seconds * secondMs) <= webhookToleranceMs,
    );
    if (isFromNow && (await this.#isSigned(text, header ?? ""))) return;
    throw new ApiError(
      "INVALID_SIGNATURE",
      "Stripe-Signature does not match this body, or its timestamp differs from the server's clock by more " +
        "than 300 s. Check STRIPE_WEBHOOK_SECRET and the clock.",
    );
  }

  async #isSigned(text: string, header: string): Promise<boolean> {
    const { webhooks, errors } = await this.#connect();
    const { signature } = webhooks;
    assert(signature !== null, "the library can check signatures");
    const { webhookSecret } = this.#payments;
    // Its own look at the time is left out: it would take one of the future.
    const anyTime = 0;
    try {
      return await signature.verifyHeaderAsync(text, header, webhookSecret, anyTime);
    } catch (error) {
      if (error instanceof errors.StripeSignatureVerificationError) return false;
      throw error;
    }
  }

  #connect(): Promise<Stripe> {
    this.#library ??= load(this.#payments);
    return this.#library;
  }
}

/** The library is loaded when it is first used: a server without payments has no use for it. */
async function load({ secretKey, apiBase }: Payments): Promise<Stripe> {
  const { Stripe: Library } = await import("stripe");
  return new Library(secretKey, {
    httpClient: Library.createFetchHttpClient(),
    maxNetworkRetries: 1,
    timeout: paymentProviderMsMax,
    telemetry: false,
    ...addressOf(apiBase),
  });
}

/** Returns the times that the header names, all of which must be near. */
const timesIn = (header: string): readonly number[] =>
  [...header.matchAll(/(?:^|,)t=([^,]*)/g)].map(([, seconds = ""]) =>
    /^\d{1,12}$/.test(seconds) ? Number(seconds) : Number.NaN,
  );

function addressOf(apiBase: string | null) {
  if (apiBase === null) return {};
  const { protocol, hostname, port } = new URL(apiBase);
  const isPlain = protocol === "http:";
  return {
    protocol: isPlain ? ("http" as const) : ("https" as const),
    host: hostname,
    port: port === "" ? (isPlain ? 80 : 443) : Number(port),
  };
}

/** Its message is left out: it may quote what was sent. */
function describeRefusal(error: unknown): Readonly<Record<string, string | number>> {
  const fields: Readonly<Record<string, unknown>> =
    typeof error === "object" && error !== null ? { ...error } : {};
  const { type, statusCode, code } = fields;
  return {
    kind: typeof type === "string" ? type : "unknown",
    ...(typeof statusCode === "number" ? { status: statusCode } : {}),
    ...(typeof code === "string" ? { code } : {}),
  };
}
