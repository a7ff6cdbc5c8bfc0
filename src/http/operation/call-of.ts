import { assert } from "../../lib/assert";
import { requireAccess, requirePlan } from "../auth/gate";
import { replyOf } from "../edge/reply";
import { refuseAddress, type Shaped } from "./checks";
import type { FormTerms } from "./csv-form";
import { DataLog } from "./data-read";
import type { Facts, OperationName } from "./facts";
import { shapeBody } from "./input";
import type { Call, Operation } from "./operation";
import { sentNames, underSentNames } from "./spellings";
import { wantsReceipt } from "./terms";

/** The caller, and the parts of the request that the work needs. */
export interface CallParts extends Omit<Call, "input"> {
  /** The terms of a request for an operation whose answer has a table. */
  readonly terms?: FormTerms;
  readonly data: DataLog;
}

/** What a call needs to know of an operation. */
type Callable = Facts &
  Pick<Operation, "takes" | "returns"> &
  Partial<Pick<Operation, "hasReceipt">>;

/** `work` for a caller who was let in already: the steps from "demo/scope" to "JSON shape" come before it. */
export function callOf(
  name: OperationName,
  { access: rule, shares, takes, returns, hasReceipt = false }: Callable,
  work: (asked: CallParts, shaped: Shaped) => unknown,
): NonNullable<Operation["call"]> {
  const [status = 200] = Object.keys(returns).map(Number);
  return async ({ input, ...asked }) => {
    const { deps, caller } = asked;
    requireAccess({ rule, shares: shares ?? null }, caller);
    requirePlan(deps, rule, caller);
    refuseAddress(caller, input);
    const { receipt, ...own } = input;
    const fields = hasReceipt ? own : input;
    try {
      const data = new DataLog(hasReceipt && wantsReceipt(receipt ?? undefined));
      const answer = await work(asCall(asked, data), shapeBody(takes, fields));
      assert(!(answer instanceof Response), `the answer of ${name} to a call is a value`);
      return replyOf(answer, status);
    } catch (error) {
      throw underSentNames(error, sentNames(Object.keys(takes.properties ?? {}), input));
    }
  };
}

/** Types that a request accepts, and the version it expects, are those of its own answer, not of a call in it. */
function asCall(asked: Omit<CallParts, "data">, data: DataLog): CallParts {
  const headers = new Headers(asked.request.headers);
  for (const name of ["accept", "if-match"]) headers.delete(name);
  const request = { headers, signal: asked.request.signal };
  return { ...asked, request, data };
}
