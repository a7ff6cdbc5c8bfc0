import { ConfigError } from "./config-error";
import { contentOf } from "./config-secrets";

/** The mail server that takes the messages of this server, and the way to speak with it. */
export interface SmtpPlace {
  readonly host: string;
  readonly port: number;
  /** `starttls` and `tls` refuse a server without a valid certificate; `none` is not encrypted. */
  readonly tls: "starttls" | "tls" | "none";
  readonly login: { readonly user: string; readonly password: string } | null;
  /** Certificates of who may sign the server's, as PEM; null for those that the machine trusts. */
  readonly certificates: string | null;
}

export interface MailSender {
  /** `Sightline` in `Sightline <stats@example.com>`; empty where there is none. */
  readonly name: string;
  readonly address: string;
}

export interface MailSettings {
  /** Null while one of `missing` lacks: no message is queued then. */
  readonly way: MailWay | null;
  /** The variables that mail needs and that are not set. */
  readonly missing: readonly string[];
  /** Tells whether somebody began to set mail up: then the start says what lacks. */
  readonly isWanted: boolean;
  readonly perHour: number;
  /** The address for conditions of the server; null for those of its administrators. */
  readonly alertEmail: string | null;
}

export interface MailWay {
  readonly smtp: SmtpPlace;
  readonly from: MailSender;
}

interface Variables {
  text(name: string): string | null;
  choice<const T extends string>(name: string, allowed: readonly T[], otherwise: T): T;
  integer(name: string, min: number, max: number, otherwise: number): number;
}

const portDefault = 587;
const perHourDefault = 200;
const perHourMax = 100_000;
const addressCharsMax = 254;
/** One local@domain without quotes, comments or anything at which a header could end. */
const addressForm =
  /^[^\s\p{C}@"'(),:;<>[\\\]]{1,64}@[\p{L}\p{N}][\p{L}\p{N}-]{0,62}(?:\.[\p{L}\p{N}][\p{L}\p{N}-]{0,62})*$/u;
const hostForm = /^[\w.:-]{1,253}$/;
const loopbackForm = /^(localhost|127(\.\d+){3}|::1)$/;

/** Throws ConfigError. */
export function mailOf(variables: Variables): MailSettings {
  const { text, integer } = variables;
  const smtp = smtpOf(variables);
  const from = text("MAIL_FROM");
  const sender = from === null ? null : senderOf(from);
  if (sender === undefined) {
    throw new ConfigError(
      'MAIL_FROM must be one address, such as "stats@example.com" or "Sightline <stats@example.com>".',
    );
  }
  const alertEmail = text("ALERT_EMAIL");
  if (alertEmail !== null && senderOf(alertEmail)?.name !== "") {
    throw new ConfigError("ALERT_EMAIL must be one address, such as ops@example.com.");
  }
  const missing = ["SMTP_HOST", "MAIL_FROM", "PUBLIC_URL"].filter((name) => text(name) === null);
  const isWhole = missing.length === 0 && smtp !== null && sender !== null;
  return {
    way: isWhole ? { smtp, from: sender } : null,
    missing,
    isWanted: smtp !== null || sender !== null,
    perHour: integer("MAIL_PER_HOUR", 1, perHourMax, perHourDefault),
    alertEmail: alertEmail?.toLowerCase() ?? null,
  };
}

function smtpOf({ text, choice, integer }: Variables): SmtpPlace | null {
  const host = text("SMTP_HOST");
  const port = integer("SMTP_PORT", 1, 65_535, portDefault);
  const tls = choice("SMTP_TLS", ["starttls", "tls", "none"], "starttls");
  const isInsecure = choice("SMTP_INSECURE", ["true", "false"], "false") === "true";
  const login = loginOf(text("SMTP_USER"), text("SMTP_PASSWORD"));
  const caFile = text("SMTP_CA_FILE");
  const certificates = caFile === null ? null : contentOf(caFile);
  if (caFile !== null && certificates === null) {
    throw new ConfigError(
      `SMTP_CA_FILE: the server cannot read "${caFile}". Check the path and its permissions.`,
    );
  }
  if (host === null) return null;
  if (!hostForm.test(host)) {
    throw new ConfigError(
      "SMTP_HOST must be a host name or an address, such as smtp.example.com. The port goes into SMTP_PORT.",
    );
  }
  if (tls === "none" && !isInsecure && !loopbackForm.test(host)) {
    throw new ConfigError(
      "SMTP_TLS=none would send mail and password in plain text over the network. Set SMTP_TLS=starttls or " +
        "SMTP_TLS=tls, or SMTP_INSECURE=true if the network is yours alone.",
    );
  }
  return { host, port, tls, login, certificates };
}

function loginOf(user: string | null, password: string | null): SmtpPlace["login"] {
  if (user === null && password === null) return null;
  if (user !== null && password !== null) return { user, password };
  const [given, lacking] =
    user === null ? ["SMTP_PASSWORD", "SMTP_USER"] : ["SMTP_USER", "SMTP_PASSWORD"];
  throw new ConfigError(
    `${given} is set, but ${lacking} is not. Set ${lacking}, or unset ${given}.`,
  );
}

/** Reads `stats@example.com` and `Name <stats@example.com>`; undefined for everything else. */
function senderOf(value: string): MailSender | undefined {
  const named = /^(?:"([^"<>\p{C}]{1,64})"|([^"<>\p{C}]{1,64}?))\s*<([^<>]+)>$/u.exec(value);
  const address = named?.[3] ?? value;
  const isAddress = address.length <= addressCharsMax && addressForm.test(address);
  return isAddress ? { name: (named?.[1] ?? named?.[2] ?? "").trim(), address } : undefined;
}
