import type { AddressInfo } from "node:net";
import { SMTPServer, type SMTPServerOptions } from "smtp-server";

const fileOf = (name: string): string =>
  Bun.fileURLToPath(new URL(`./tls/${name}`, import.meta.url));
export const caFile = fileOf("certificate.pem");
const tls = {
  key: await Bun.file(fileOf("key.pem")).text(),
  cert: await Bun.file(caFile).text(),
};

export interface TakenMail {
  readonly from: string;
  readonly to: readonly string[];
  readonly user: string | undefined;
  readonly isSecure: boolean;
  /** The message as it came over the wire. */
  readonly raw: string;
}

type Answer = readonly [code: number, text: string] | null;

/** Refuses a step of the conversation: the code and text of the answer, or null to go on. */
interface Refusals {
  readonly from?: (address: string) => Answer | Promise<Answer>;
  readonly to?: (address: string) => Answer | Promise<Answer>;
  readonly data?: (raw: string) => Answer | Promise<Answer>;
  /** Resolves when the server may answer the message. */
  readonly wait?: () => Promise<void>;
}

export interface SmtpDouble {
  readonly port: number;
  readonly taken: TakenMail[];
  /** The connections that were opened. */
  readonly connections: () => number;
  refuse: Refusals;
  close(): Promise<void>;
}

/** A real mail server on this machine. It takes what `refuse` lets it take. */
export async function smtpServer(options: SMTPServerOptions = {}): Promise<SmtpDouble> {
  const taken: TakenMail[] = [];
  let connections = 0;
  const double: { refuse: Refusals } = { refuse: {} };
  const server = new SMTPServer({
    ...{ ...tls, authOptional: true, logger: false, closeTimeout: 50 },
    onAuth: ({ username, password }, _session, done) =>
      password === "right"
        ? done(null, { user: username ?? "" })
        : done(refusalOf([535, "5.7.8 Wrong password"])),
    onConnect: (_session, done) => {
      connections += 1;
      done();
    },
    onMailFrom: async ({ address }, _session, done) =>
      done(refusalOf(await double.refuse.from?.(address))),
    onRcptTo: async ({ address }, _session, done) =>
      done(refusalOf(await double.refuse.to?.(address))),
    onData: async (stream, session, done) => {
      const raw = await new Response(stream as unknown as ReadableStream).text();
      await double.refuse.wait?.();
      const refusal = refusalOf(await double.refuse.data?.(raw));
      if (refusal !== null) return done(refusal);
      const { mailFrom, rcptTo } = session.envelope;
      taken.push({
        from: mailFrom === false ? "" : (mailFrom?.address ?? ""),
        to: rcptTo.map(({ address }) => address),
        user: session.user === undefined ? undefined : String(session.user),
        isSecure: session.secure === true,
        raw,
      });
      done(null, "Message queued");
    },
    ...options,
  });
  // A client that does not trust the certificate hangs up.
  server.on("error", () => undefined);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return Object.assign(double, {
    port: (server.server.address() as AddressInfo).port,
    taken,
    connections: () => connections,
    close: () => new Promise<void>((resolve) => server.close(() => resolve())),
  });
}

function refusalOf(told: readonly [code: number, text: string] | null | undefined): Error | null {
  if (told === null || told === undefined) return null;
  return Object.assign(new Error(told[1]), { responseCode: told[0] });
}

/** The settings with which a server sends to it. */
export const smtpSettings = ({ port }: SmtpDouble, more: Record<string, string> = {}) => ({
  ...{ SMTP_HOST: "127.0.0.1", SMTP_PORT: String(port), SMTP_CA_FILE: caFile },
  ...{ MAIL_FROM: "Sightline <stats@example.com>", PUBLIC_URL: "http://localhost:3000", ...more },
});
