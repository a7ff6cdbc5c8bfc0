import { type SmtpDouble, smtpServer } from "../mail/smtp";

/** The mail server and the receiver of webhooks that the server under test sends to. */
export interface Counterparts {
  readonly smtp: SmtpDouble;
  readonly webhookUrl: string;
  readonly webhookHost: string;
  /** The webhooks that arrived. */
  readonly webhooks: readonly Arrived[];
  close(): Promise<void>;
}

interface Arrived {
  /** The same on every try of a message. */
  readonly id: string;
  readonly alert: string | null;
}

export async function startCounterparts(): Promise<Counterparts> {
  const smtp = await smtpServer();
  const webhooks: Arrived[] = [];
  const receiver = Bun.serve({
    ...{ port: 0, hostname: "127.0.0.1" },
    fetch: async (request) => {
      const message: { readonly data?: { readonly alert?: { readonly id: string } } } = JSON.parse(
        await request.text(),
      );
      const id = request.headers.get("webhook-id") ?? "none";
      webhooks.push({ id, alert: message.data?.alert?.id ?? null });
      return new Response(null, { status: 204 });
    },
  });
  const webhookHost = `127.0.0.1:${receiver.port}`;
  return {
    ...{ smtp, webhooks, webhookHost, webhookUrl: `http://${webhookHost}/` },
    close: async () => {
      await receiver.stop(true);
      await smtp.close();
    },
  };
}

/** The ids of the messages that the mail server took, in their order. */
export const mailIds = ({ smtp }: Counterparts): readonly string[] =>
  smtp.taken.map(({ raw }) => /^Message-ID: <([^@>]+)@/im.exec(raw)?.[1] ?? "none");
