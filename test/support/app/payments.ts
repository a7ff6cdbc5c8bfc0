import { createHmac } from "node:crypto";

/** What a server with payments has in its environment. */
export const paymentSecrets = {
  STRIPE_SECRET_KEY: "sk_test_of_the_tests",
  STRIPE_PRICE_ID: "price_pro",
  STRIPE_WEBHOOK_SECRET: "whsec_of_the_tests",
} as const;

export interface Order {
  readonly method: string;
  readonly path: string;
  readonly authorization: string | null;
  readonly fields: Readonly<Record<string, string>>;
}

export interface FakeProvider {
  readonly url: string;
  /** What it was asked for, oldest first. */
  readonly orders: readonly Order[];
  /** What it answers from now on. */
  answerWith(status: number, body: unknown): void;
  stop(): Promise<void>;
}

/** A payment provider as far as our server and a browser see it. `page` is what a person gets who comes to pay. */
export function startProvider(page: (order: Order) => string = () => ""): FakeProvider {
  const orders: Order[] = [];
  let answer: { readonly status: number; readonly body: unknown } | null = null;
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: async (request): Promise<Response> => {
      const { origin, pathname } = new URL(request.url);
      const last = orders.at(-1);
      if (pathname === "/pay" && last !== undefined) {
        return new Response(page(last), { headers: { "content-type": "text/html" } });
      }
      // Browsers ask for icons.
      if (request.method !== "POST") return new Response(null, { status: 404 });
      orders.push({
        method: request.method,
        path: pathname,
        authorization: request.headers.get("authorization"),
        fields: Object.fromEntries(new URLSearchParams(await request.text())),
      });
      const opened = { id: "cs_1", object: "checkout.session", url: `${origin}/pay` };
      return Response.json(answer?.body ?? opened, { status: answer?.status ?? 200 });
    },
  });
  return {
    url: server.url.origin,
    orders,
    answerWith: (status, body) => {
      answer = { status, body };
    },
    stop: () => server.stop(true),
  };
}

export interface SignedText {
  readonly text: string;
  readonly header: string;
}

/** Signs an event as the provider does (Stripe's documentation of webhook signatures). */
export function signed(event: unknown, atMs: number, secret?: string): SignedText {
  const text = typeof event === "string" ? event : JSON.stringify(event);
  const seconds = Math.floor(atMs / 1_000);
  return { text, header: `t=${seconds},v1=${signatureOf(text, seconds, secret)}` };
}

export const signatureOf = (
  text: string,
  seconds: number,
  secret: string = paymentSecrets.STRIPE_WEBHOOK_SECRET,
): string => createHmac("sha256", secret).update(`${seconds}.${text}`).digest("hex");
