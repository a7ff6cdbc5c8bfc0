import { track } from "./events";
import { write } from "./json";
import { listen } from "./listen";
import { redact } from "./redact";
import { shorten } from "./shorten";

const errorsMax = 5;

let seen: string[] = [];

export const resetErrors = (): void => {
  seen = [];
};

export const watchErrors = (): void => {
  listen<ErrorEvent>("error", ({ message, filename, lineno, colno }) => {
    // Images and scripts that fail to load end here too; they have no message.
    if (message) tellError(message, filename, lineno, colno);
  });
  listen<PromiseRejectionEvent>("unhandledrejection", ({ reason }) =>
    tellError(`${(reason && reason.message) || reason}`),
  );
};

/** An error in a loop is one error. */
const tellError = (text: string, file = "", line = 0, col = 0): void => {
  const own = shorten({ message: redact(text), source: redact(file), line });
  const key = write(own);
  if (seen[errorsMax - 1] || seen.includes(key)) return;
  seen.push(key);
  track("$error", { ...own, col });
};
