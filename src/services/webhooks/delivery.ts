import { hostnameOf } from "../../domain/scan-url";
import type { DeliveryError, WebhookKind } from "../../domain/webhook/events";
import { type QueuedMessage, webhookBody } from "../../domain/webhook/forms";
import { retryAfterSeconds, type Tried } from "../../domain/webhook/retries";
import { signatureHeaders } from "../../domain/webhook/signature";
import { isAllowedHost } from "../../domain/webhook/url";
import { clock, secondMs } from "../../lib/clock";
import { untilAborted } from "../../lib/until-aborted";
import { version } from "../../version";
import type { MessageNetwork } from "../page-fetch/network";
import { isPublicAddress } from "../page-fetch/public-address";

const tryMsMax = 10 * secondMs;
const answerBytesMax = 4 * 1024;

export interface Target {
  readonly kind: WebhookKind;
  readonly url: URL;
  /** The secrets that sign; empty for chats. */
  readonly secrets: readonly string[];
}

interface Way {
  readonly network: MessageNetwork;
  readonly allowHosts: Parameters<typeof isAllowedHost>[1];
  readonly msMax?: number;
}

class Refused extends Error {
  constructor(readonly reason: DeliveryError) {
    super(reason);
  }
}

/**
 * One try: the name is looked up, each of its addresses is checked, and the request goes to one of them. No redirect is
 * followed, and of the answer only the status is looked at.
 */
export async function deliver(
  { network, allowHosts, msMax = tryMsMax }: Way,
  id: string,
  target: Target,
  message: QueuedMessage,
): Promise<Tried> {
  const startedMs = performance.now();
  const signal = AbortSignal.timeout(msMax);
  const took = () => ({ ms: performance.now() - startedMs });
  try {
    const address = await checkedAddress(network, target.url, allowHosts, signal);
    const body = webhookBody(target.kind, message);
    const timestampS = Math.floor(clock.nowMs() / secondMs);
    const headers = {
      "content-type": "application/json",
      "user-agent": `Sightline/${version}`,
      ...(target.secrets.length > 0 && signatureHeaders(target.secrets, id, timestampS, body)),
    };
    const answer = await untilAborted(
      network.post(target.url, address, { headers, body }, signal),
      signal,
    );
    const { status } = answer;
    await readALittle(answer, signal);
    const retryAfterS = retryAfterSeconds(answer.headers.get("retry-after"));
    const isTaken = status >= 200 && status < 300;
    return {
      ...{ status, ...took() },
      ...(!isTaken && { error: "status" as const }),
      ...(retryAfterS !== undefined && { retryAfterS }),
    };
  } catch (error) {
    return { error: reasonOf(error, signal), ...took() };
  }
}

/** Returns the first address of a name, all of whose addresses must be public unless the operator allows it. */
export async function checkedAddress(
  network: MessageNetwork,
  url: URL,
  allowHosts: Way["allowHosts"],
  signal: AbortSignal,
): Promise<string> {
  const host = hostnameOf(url).replace(/^\[|\]$/g, "");
  const addresses = await untilAborted(network.resolve(host), signal).catch((error: unknown) => {
    throw signal.aborted ? error : new Refused("dns");
  });
  const [first] = addresses;
  if (first === undefined) throw new Refused("dns");
  if (isAllowedHost(url, allowHosts) || addresses.every(isPublicAddress)) return first;
  throw new Refused("unsafe");
}

/** Lets a receiver finish its answer, as far as it is short, and hangs up on a long one. */
async function readALittle({ body }: Response, signal: AbortSignal): Promise<void> {
  if (body === null) return;
  const reader = body.getReader();
  let bytes = 0;
  try {
    while (bytes < answerBytesMax) {
      const { done, value } = await untilAborted(reader.read(), signal);
      if (done) return;
      bytes += value.length;
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

export function reasonOf(error: unknown, signal: AbortSignal): DeliveryError {
  if (error instanceof Refused) return error.reason;
  if (signal.aborted) return "timeout";
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  return /CERT|TLS|SSL|SELF_SIGNED|UNABLE_TO_/.test(code) ? "tls" : "connect";
}
