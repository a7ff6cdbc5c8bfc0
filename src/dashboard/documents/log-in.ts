import { call, Refused } from "./api";
import { input, show } from "./dom";

/** The token of a log-in whose password was right; empty while there is none. */
let token = "";

/** Logs in. False when the server wants a code of the second factor first: the next call sends it. */
export async function logIn(email: string, password: string): Promise<boolean> {
  try {
    if (token === "") await call("POST", "/auth/login", { email, password });
    else await call("POST", "/auth/login/second", { login_token: token, ...typed() });
    return true;
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    // A wrong code can be typed again; every other refusal leads back to the password.
    if (error.code !== "INVALID_CODE") askForCode(error.loginToken);
    if (error.code !== "SECOND_FACTOR_REQUIRED") throw error;
    return false;
  }
}

function askForCode(next: string): void {
  token = next;
  const code = input("second-code");
  code.value = "";
  code.required = token !== "";
  show("second-step", code.required);
  if (code.required) code.focus();
}

/** Six digits are a code of the app. */
function typed(): object {
  const text = input("second-code").value.trim();
  const digits = text.replace(/\s/g, "");
  return /^\d{6}$/.test(digits) ? { code: digits } : { recovery_code: text };
}
