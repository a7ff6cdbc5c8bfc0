import type { ApiError } from "../domain/errors";

export const htmlType = "text/html; charset=utf-8";

/** For pages of our own: nothing from elsewhere, in no frame, and no word of the page's address to other sites. */
export const pageHeaders: Readonly<Record<string, string>> = {
  "cache-control": "no-store",
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
    "form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
};

const escapes: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Text as it may stand in an element or in a quoted attribute. */
export const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => escapes[character] ?? "");

/** Pages tell their errors as pages. */
export function errorPage({ status, message }: ApiError): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Sightline: ${status}</title>
</head>
<body><main><h1>${status}</h1><p>${escapeHtml(message)}</p><p><a href="/">Back to Sightline</a></p></main></body>
</html>
`;
}
