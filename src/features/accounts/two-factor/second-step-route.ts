import { ApiError } from "../../../domain/errors";
import type { Deps } from "../../../http/deps";
import { free } from "../../../http/operation/facts";
import { publicOperation } from "../../../http/operation/public-operation";
import type { PersonRow } from "../../../store/control/member-tables";
import { personById } from "../../../store/control/people";
import { factorSince } from "../../../store/control/second-factors";
import { visitor } from "../asker";
import type { Guards } from "../guards";
import { SignedIn } from "../schema";
import { refuseForeignPage, signIn } from "../sign-in";
import { requireCode } from "./require-code";
import { SecondStep } from "./schema";

/** Ends the first step of a log-in for a person with a second factor. Throws SECOND_FACTOR_REQUIRED. */
export function requireSecondStep(
  { control }: Pick<Deps, "control">,
  { steps }: Pick<Guards, "steps">,
  { id: personId, passwordHash }: Pick<PersonRow, "id" | "passwordHash">,
): void {
  if (factorSince(control, personId) === null) return;
  throw new ApiError(
    "SECOND_FACTOR_REQUIRED",
    "Enter the code of your authenticator app, or a recovery code.",
    {
      login_token: steps.begin({ personId, passwordHash }),
      methods: ["totp", "recovery_code"],
    },
  );
}

export const secondStepRoute = (deps: Deps, guards: Guards) =>
  publicOperation("POST /auth/login/second", {
    access: free("none"),
    doc: {
      id: "logInSecondStep",
      summary: "Finish a log-in with a second factor",
      description:
        "POST /auth/login answers 401 SECOND_FACTOR_REQUIRED with a `login_token`, which is good for 5 minutes and " +
        "5 codes. Send it with a `code` or a `recovery_code`. The response sets a cookie.",
      tag: "Sign-in",
      errors: ["INVALID_CODE", "INVALID_TOKEN", "CSRF_FAILED", "UNAVAILABLE"],
    },
    takes: SecondStep,
    returns: { 200: SignedIn },
    handle: ({ input: { login_token: token, ...sent }, peer, request }) => {
      const { control } = deps;
      refuseForeignPage(deps.config, request);
      const step = guards.steps.try(token);
      const person = step === null ? undefined : personById(control, step.personId);
      if (person === undefined || person.passwordHash !== step?.passwordHash) throw ended();
      const { id, email } = person;
      const failuresKey = `${visitor(deps, peer()).key} ${id}`;
      // Somebody else may have turned it off meanwhile; then the password was enough.
      if (factorSince(control, id) !== null) {
        requireCode({ ...deps, ...guards }, { id, email, failuresKey }, sent);
      }
      guards.steps.end(token);
      return signIn(deps, id, 200, request);
    },
  });

const ended = (): ApiError =>
  new ApiError("INVALID_TOKEN", "This log-in is over. Enter your email and password again.");
