import { type WebhookKind, type WebhookMessage, webhookBodyBytesMax } from "./events";

const discordCharsMax = 2_000;
const lineCharsMax = 500;

/** A message as it is stored in the queue. */
export type QueuedMessage = WebhookMessage & { readonly timestamp: string };

/** The body of a request, in the form that its receiver reads. */
export function webhookBody(kind: WebhookKind, message: QueuedMessage): string {
  switch (kind) {
    case "signed":
      return signedBody(message);
    case "slack":
      return JSON.stringify({ text: linesOf(message, slackText).join("\n") });
    case "discord": {
      const content = [...linesOf(message, discordText).join("\n")].slice(0, discordCharsMax);
      return JSON.stringify({ content: content.join(""), allowed_mentions: { parse: [] } });
    }
  }
}

function signedBody({ type, timestamp, data }: QueuedMessage): string {
  const body = JSON.stringify({ type, timestamp, data });
  if (Buffer.byteLength(body) <= webhookBodyBytesMax) return body;
  return JSON.stringify({ type, timestamp, data: { truncated: true } });
}

function linesOf({ lines, url }: QueuedMessage, written: (text: string) => string): string[] {
  const shown = lines.map((line) => written([...oneLine(line)].slice(0, lineCharsMax).join("")));
  return [...shown, url];
}

const oneLine = (text: string): string => text.replace(/[\p{Cc}\u2028\u2029]+/gu, " ");

/** Without these three characters a text mentions nobody and links to nothing in Slack. */
const slackText = (text: string): string =>
  text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    // Slack makes links of bare addresses too.
    .replaceAll("://", ":\u200b//");

const discordText = (text: string): string =>
  text.replace(/[\\*_~`|>#\-+[\]()<@:]/g, "\\$&").replaceAll("\\://", "\\:\u200b//");
