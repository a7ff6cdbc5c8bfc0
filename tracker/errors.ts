import { track } from "./events";
import { listen } from "./listen";
import { redact } from "./redact";

const errorsMax = 5;

let seen: string[] = [];

export function resetErrors(): void {
  seen = [];
}

export function watchErrors(): void {
  listen<ErrorEvent>(window, "error", ({ message, filename, lineno, colno }) => {
    // Images and scripts that fail to load end here too; they have no message.
    if (message) tell(message, filename, lineno, colno);
  });
  listen<PromiseRejectionEvent>(window, "unhandledrejection", ({ reason }) => {
    tell(String((reason && reason.message) || reason), "", 0, 0);
  });
}

/** An error in a loop is one error. */
function tell(message: string, source: string, line: number, col: number): void {
  const error = { message: redact(message), source: redact(source), line };
  const key = JSON.stringify(error);
  if (seen.length >= errorsMax || seen.includes(key)) return;
  seen.push(key);
  track("$error", { ...error, col });
}
