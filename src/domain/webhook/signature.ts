import { createHmac, randomBytes } from "node:crypto";

const secretBytes = 32;
const secretPrefix = "whsec_";

/** A secret in the form of Standard Webhooks: the prefix, and 32 random bytes in base64. */
export const newWebhookSecret = (): string =>
  secretPrefix + randomBytes(secretBytes).toString("base64");

/** The headers by which a receiver sees that a message is ours, whole and of now (Standard Webhooks 1.0). */
export function signatureHeaders(
  secrets: readonly string[],
  id: string,
  timestampS: number,
  body: string,
): Readonly<Record<string, string>> {
  const signed = `${id}.${timestampS}.${body}`;
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(secretPrefix.length), "base64");
    return `v1,${createHmac("sha256", key).update(signed).digest("base64")}`;
  });
  return {
    "webhook-id": id,
    "webhook-timestamp": String(timestampS),
    "webhook-signature": signatures.join(" "),
  };
}
