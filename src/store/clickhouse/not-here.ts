import { ApiError } from "../../domain/errors";

/**
 * What the other engine answers and this one does not. A question that needs one of these is refused by it, so that no
 * answer is silently another; the README has the same list.
 */
const notHere = {
  "GET /trust": "Which stored texts are flagged is not counted in ClickHouse.",
  "[flagged:…] in a question":
    "A text cannot be asked for by its mask, as flagged texts are not kept apart in ClickHouse.",
} as const;

export const refuse = (what: keyof typeof notHere): ApiError =>
  new ApiError("NOT_ON_THIS_STORE", `${notHere[what]} (${what})`);
