import type { Actor } from "../../../domain/audit";
import { ApiError, invalidField } from "../../../domain/errors";
import type { Deps } from "../../../http/deps";
import { clock, secondMs } from "../../../lib/clock";
import { securityLetter } from "../../../services/mail/templates";
import {
  codeFailuresPerDayMax,
  countCodeFailure,
  factorOf,
  invalidCode,
  lockedForMs,
  noteFactor,
  takeCode,
  takeRecoveryCode,
} from "../../../store/control/second-factors";
import type { Guards } from "../guards";

/** A code of the app, or a recovery code. */
interface SentCode {
  readonly code?: string | undefined;
  readonly recovery_code?: string | undefined;
}

/** A person who sends a code, and the key under which their failures count. */
interface CodeSender {
  readonly id: string;
  readonly email: string;
  readonly failuresKey: string;
}

type CodeDeps = Pick<Deps, "control" | "mail"> & Pick<Guards, "codeFailures">;

/**
 * Takes a code of a person whose password was right. It is used up when this returns. Throws INVALID_CODE, and
 * RATE_LIMITED after ten wrong ones from a network, or a hundred in a day.
 */
export function requireCode(deps: CodeDeps, sender: CodeSender, sent: SentCode): void {
  if (sent.code === undefined && sent.recovery_code === undefined) {
    throw invalidField("code", 'Send "code" of your authenticator app, or a "recovery_code".');
  }
  const attempt = deps.codeFailures.begin(sender.failuresKey);
  let isTaken = false;
  try {
    refuseWhileLocked(deps, sender);
    isTaken = deps.control.write(() => take(deps, sender, sent));
  } catch (error) {
    // The code was not looked at.
    attempt.takeBack();
    throw error;
  }
  if (!isTaken) {
    noteFailure(deps, sender);
    throw invalidCode();
  }
  attempt.takeBack();
}

function take({ control, mail }: CodeDeps, sender: CodeSender, sent: SentCode): boolean {
  const { id, email } = sender;
  if (sent.code !== undefined) return takeCode(control, id, sent.code);
  if (!takeRecoveryCode(control, actorOfSender(sender), id, sent.recovery_code ?? "")) return false;
  mail.queue("security", email, (from) => securityLetter(from, "recovery_code"));
  return true;
}

function refuseWhileLocked({ control }: CodeDeps, { id }: CodeSender): void {
  const waitMs = lockedForMs(factorOf(control, id), clock.nowMs());
  if (waitMs === 0) return;
  const seconds = Math.ceil(waitMs / secondMs);
  throw new ApiError(
    "RATE_LIMITED",
    "Too many wrong codes today. No code is taken until 00:00 UTC.",
    { reason: "rate_limit", retry_after_seconds: seconds },
  );
}

function noteFailure({ control, mail }: CodeDeps, sender: CodeSender): void {
  const { id, email } = sender;
  control.write(() => {
    if (countCodeFailure(control, id) !== codeFailuresPerDayMax) return;
    noteFactor(control, actorOfSender(sender), id, "sign_in_locked");
    mail.queue("security", email, (from) => securityLetter(from, "locked"));
  });
}

const actorOfSender = ({ id, email }: CodeSender): Actor => ({ kind: "cookie", id, email });
