import MailComposer from "nodemailer/lib/mail-composer";
import SMTPConnection from "nodemailer/lib/smtp-connection";
import type { MailWay, SmtpPlace } from "../../config-mail";
import type { Letter, MailKind, MailStage } from "../../domain/mail/message";
import { secondMs } from "../../lib/clock";
import { inertText } from "../../lib/inert-text";

const answerMsMax = 20 * secondMs;
const responseCharsMax = 200;

/** A message on its way to one recipient. */
export interface Mailing {
  readonly id: string;
  readonly kind: MailKind;
  readonly to: string;
  readonly letter: Letter;
  /** The time of the message, which each try has in common. */
  readonly atMs: number;
}

export type SmtpOutcome =
  | { readonly isTaken: true; readonly response: string }
  | ({ readonly isTaken: false } & SmtpFailure);

export interface SmtpFailure {
  readonly stage: MailStage;
  /** The mail server's own line where it sent one, inert and short. */
  readonly response: string;
  /** The server refused it for good. */
  readonly isFinal: boolean;
}

/**
 * Sends one message over a connection of its own. It gives up after 20 seconds, so that a mail server that never
 * answers holds nobody up.
 */
export async function sendMail(
  way: MailWay,
  mailing: Mailing,
  msMax = answerMsMax,
): Promise<SmtpOutcome> {
  const message = await rawMessage(way, mailing);
  return await withConnection(way.smtp, msMax, (connection, enter) => {
    enter("from");
    return new Promise<string>((resolve, reject) => {
      const envelope = { from: way.from.address, to: mailing.to };
      connection.send(envelope, message, (error, info) => {
        if (error) reject(error);
        else resolve(info?.response ?? "");
      });
    });
  });
}

/** Connects, encrypts and logs in, as a message would, and sends nothing. */
export const greetMailServer = (smtp: SmtpPlace): Promise<SmtpOutcome> =>
  withConnection(smtp, answerMsMax, async () => "");

async function withConnection(
  smtp: SmtpPlace,
  msMax: number,
  work: (connection: SMTPConnection, enter: (stage: MailStage) => void) => Promise<string>,
): Promise<SmtpOutcome> {
  let stage: MailStage = "connect";
  const enter = (next: MailStage): void => {
    stage = next;
  };
  const connection = new SMTPConnection(optionsOf(smtp));
  const { promise: broken, reject: breakOff } = Promise.withResolvers<never>();
  broken.catch(() => undefined);
  connection.on("error", breakOff);
  const timer = setTimeout(() => breakOff(new Error("It did not answer in time.")), msMax);
  try {
    await Promise.race([broken, called((done) => connection.connect(done))]);
    const { login } = smtp;
    if (login !== null) {
      enter("auth");
      const credentials = { user: login.user, pass: login.password };
      await Promise.race([broken, called((done) => connection.login({ credentials }, done))]);
    }
    const response = await Promise.race([broken, work(connection, enter)]);
    connection.quit();
    return { isTaken: true, response: shownResponse(response) };
  } catch (error) {
    return { isTaken: false, ...failureOf(error, stage) };
  } finally {
    clearTimeout(timer);
    connection.close();
  }
}

const called = (call: (done: (error?: Error | null) => void) => void): Promise<void> =>
  new Promise((resolve, reject) => call((error) => (error ? reject(error) : resolve())));

const optionsOf = ({ host, port, tls, certificates }: SmtpPlace) => ({
  ...{
    host,
    port,
    secure: tls === "tls",
    requireTLS: tls === "starttls",
    ignoreTLS: tls === "none",
  },
  ...{ connectionTimeout: answerMsMax, greetingTimeout: answerMsMax, socketTimeout: answerMsMax },
  ...{ dnsTimeout: answerMsMax, allowInternalNetworkInterfaces: true, socketCloseTimeout: 0 },
  tls: {
    rejectUnauthorized: true,
    minVersion: "TLSv1.2" as const,
    ...(certificates !== null && { ca: certificates }),
  },
});

/** The form is the same for every kind: two alternatives of one text, and nothing that is loaded from anywhere. */
async function rawMessage({ from }: MailWay, mailing: Mailing): Promise<Buffer> {
  const { id, kind, to, letter, atMs } = mailing;
  const { unsubscribeUrl } = letter;
  const composer = new MailComposer({
    from,
    to: { name: "", address: to },
    subject: letter.subject,
    text: letter.text,
    html: letter.html,
    date: new Date(atMs),
    messageId: `<${id}@${from.address.slice(from.address.lastIndexOf("@") + 1)}>`,
    disableFileAccess: true,
    disableUrlAccess: true,
    headers: {
      "Auto-Submitted": "auto-generated",
      "X-Sightline-Kind": kind,
      ...(unsubscribeUrl !== undefined && {
        "List-Unsubscribe": { prepared: true, value: `<${unsubscribeUrl}>` },
        "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
      }),
    },
  });
  return await composer.compile().build();
}

function failureOf(error: unknown, reached: MailStage): SmtpFailure {
  const about = error instanceof Error ? error : new Error(String(error));
  const code = "code" in about ? String(about.code) : "";
  const status = "responseCode" in about ? Number(about.responseCode) : 0;
  const line =
    "response" in about && about.response ? String(about.response) : reasonOf(about, code);
  const stage = stageOf(about, code, reached);
  // A server that offers no encryption now may do so when its operator has mended it.
  const isFinal = status >= 500 && status < 600 && stage !== "tls";
  return { stage, response: shownResponse(line), isFinal };
}

function stageOf(error: Error, code: string, reached: MailStage): MailStage {
  const command = "command" in error ? String(error.command) : "";
  if (reached === "connect")
    return isAboutTls(error, code) || command === "STARTTLS" ? "tls" : "connect";
  if (reached === "auth") return "auth";
  if (/^MAIL FROM/.test(command)) return "from";
  if (/^RCPT TO/.test(command)) return "to";
  return "data";
}

const isAboutTls = (error: Error, code: string): boolean =>
  /ETLS|CERT|SSL|TLS|SELF_SIGNED|UNABLE_TO_/.test(code) ||
  /certificate|STARTTLS|TLS|SSL/i.test(error.message);

function reasonOf(error: Error, code: string): string {
  if (isAboutTls(error, code)) {
    return "The connection could not be encrypted, or the certificate is not valid.";
  }
  if (/EDNS|ENOTFOUND/.test(code)) return "The host name does not resolve to an address.";
  if (/ETIMEDOUT/.test(code)) return "It did not answer in time.";
  if (/ECONNECTION|ECONNREFUSED|ESOCKET/.test(code)) return "The connection failed.";
  return error.message;
}

const shownResponse = (line: string): string =>
  [...inertText(line.replace(/\s*[\r\n]+\s*/g, " ").trim())].slice(0, responseCharsMax).join("");
