import { LogInSteps } from "../../services/log-in-steps";
import { LoginFailures } from "../../services/login-failures";

/** The memory of what people get wrong when they sign in. */
export interface Guards {
  /** Wrong passwords. */
  readonly failures: LoginFailures;
  /** Wrong codes of the second factor. */
  readonly codeFailures: LoginFailures;
  /** Log-ins that wait for a code. */
  readonly steps: LogInSteps;
}

export const newGuards = (): Guards => ({
  failures: new LoginFailures(),
  codeFailures: new LoginFailures(),
  steps: new LogInSteps(),
});
