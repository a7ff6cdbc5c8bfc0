import type { ApiError } from "../../domain/errors";
import { escapeHtml } from "../../lib/escape-html";

export const htmlType = "text/html; charset=utf-8";

/**
 * The headers of our own pages: they load nothing from elsewhere, stand in no frame, and tell no other site their
 * address.
 */
export const pageHeaders: Readonly<Record<string, string>> = {
  "cache-control": "no-store",
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
    "form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
  "referrer-policy": "no-referrer",
};

/** Returns the headers of the application, which may show the viewer of recordings in a frame. */
export const applicationHeaders = (
  viewerOrigin: string | null,
): Readonly<Record<string, string>> => ({
  ...pageHeaders,
  "content-security-policy": `${pageHeaders["content-security-policy"]}; frame-src ${viewerOrigin ?? "'self'"}`,
});

interface Page {
  /** The name by which the pages' script knows what to do. */
  readonly name: string;
  readonly title: string;
  /** Markup: whatever came from elsewhere has been through `escapeHtml`. */
  readonly body: string;
}

/** A document of ours, with the style and the script that all of them share. */
export const pageDocument = ({ name, title, body }: Page): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title} · Sightline</title>
<link rel="icon" href="/app/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/app/pages.css">
<script type="module" src="/app/pages.js"></script>
</head>
<body data-page="${name}">
${body}
</body>
</html>
`;

/** The second step of a log-in, in a form: it is shown once the password was right (dashboard/documents/log-in.ts). */
export const secondStepField = `<div id="second-step" hidden>
<label>Code <small>of your authenticator app, or a recovery code</small>
<input id="second-code" autocomplete="one-time-code" spellcheck="false" maxlength="32"></label>
</div>`;

/** Pages tell their errors as pages. */
export const errorPage = ({ status, message }: ApiError): string =>
  pageDocument({
    name: "error",
    title: headingOf(status),
    body: `<main class="narrow"><h1>${headingOf(status)}</h1>
<p>${escapeHtml(message)}</p>
<p><a href="/">Back to Sightline</a></p></main>`,
  });

/** Returns a sentence in place of the number of a status. */
function headingOf(status: number): string {
  if (status === 404) return "Page not found";
  if (status === 401 || status === 403) return "You do not have access to this page";
  if (status === 410) return "This link is no longer valid";
  if (status === 429) return "Too many requests";
  return status >= 500 ? "Something went wrong on the server" : "The request failed";
}
