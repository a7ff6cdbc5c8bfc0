import { track } from "./events";
import { listen } from "./listen";
import { redact } from "./redact";

const errorsMax = 5;

let seen: string[] = [];

export const resetErrors = (): void => {
  seen = [];
};

export const watchErrors = (): void => {
  listen<ErrorEvent>("error", ({ message, filename, lineno, colno }) => {
    // Images and scripts that fail to load end here too; they have no message.
    if (message) tell(message, filename, lineno, colno);
  });
  listen<PromiseRejectionEvent>("unhandledrejection", ({ reason }) =>
    tell(`${(reason && reason.message) || reason}`),
  );
};

/** An error in a loop is one error. */
const tell = (text: string, file = "", line = 0, col = 0): void => {
  const message = redact(text);
  const source = redact(file);
  const key = message + source + line;
  if (seen[errorsMax - 1] || seen.includes(key)) return;
  seen.push(key);
  track("$error", { message, source, line, col });
};
