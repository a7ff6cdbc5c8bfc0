import { ApiError } from "../../domain/errors";
import { usualWaits } from "../shared/uncommitted";

/**
 * Answers a change as soon as it is done, but no later than requests with events: the storage may hang. The change may
 * still be made then.
 */
export async function inTime<Value>(
  change: Promise<Value>,
  msMax: number = usualWaits.answerMsMax,
): Promise<Value> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(unanswered()), msMax);
  try {
    return await Promise.race([change, late]);
  } finally {
    clearTimeout(timer);
  }
}

const unanswered = (): ApiError =>
  new ApiError(
    "UNAVAILABLE",
    "The storage did not respond in time, but the change may still happen. Check before you send the " +
      "request again.",
    { retry_after_seconds: 1 },
  );
