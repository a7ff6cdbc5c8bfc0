import { isLoopback, shownPlaceOf } from "../../domain/oauth";
import { knownScopes, scopeWords } from "../../domain/scope";
import type { Deps } from "../../http/deps";
import { isObject } from "../../http/operation/input";
import { pageDocument, secondStepField } from "../../http/pages/html";
import { escapeHtml } from "../../lib/escape-html";
import type { AuthRequest } from "../../store/control/auth-requests";
import type { ActingAccount } from "./acting-account";
import { said } from "./said";

/** Returns the name of a program, if it gave one, else its type. */
const programOf = ({ clientName, clientType }: AuthRequest): string =>
  said(clientName?.trim() || clientType);

const narrow = (body: string): string => `<main class="narrow">\n${body}\n</main>`;

/** Writes the page that says who asks, for what, in which account, and where the code goes. */
export function approvalPage(
  request: AuthRequest,
  acting: ActingAccount,
  isConfirmed: boolean,
): string {
  const { oauthClientId } = request;
  const facts = [
    ...acting.facts,
    ...(oauthClientId === null ? factsOf(request) : oauthFactsOf(request)),
  ];
  return pageDocument({
    name: "approval",
    title: "Approve access",
    body: narrow(`<h1>May this program use your account?</h1>
<p>Approve only if you started this sign-in yourself.</p>
${oauthClientId === null ? `<p>${whatApprovingDoes(request.callbackUrl)}</p>` : destinationOf(request)}
<dl>
${facts.map(([name, value]) => `<dt>${name}</dt><dd>${value}</dd>`).join("\n")}
</dl>
${acting.choice}<h2 id="scopes-heading">Permissions</h2>
<ul aria-labelledby="scopes-heading">
${scopesIn(request)}
</ul>
${offeredIn(request)}${isConfirmed ? "" : confirmation}<div class="buttons">
${button(request, acting, "approve")}
${button(request, acting, "deny")}
</div>
<p><small>You can end its access at any time in the <a href="/app/settings">settings</a> of your account.</small></p>`),
  });
}

/** A person with a second factor gives it again, so that a stolen cookie is not enough. */
const confirmation = `<fieldset id="confirmation">
<legend>Confirm that it is you</legend>
<label>Password
<input id="password" type="password" autocomplete="current-password" maxlength="200"></label>
<label>Code of your authenticator app
<input id="code" inputmode="numeric" autocomplete="one-time-code" maxlength="6"></label>
<p id="alert" class="alert" role="alert" hidden></p>
</fieldset>
`;

const factsOf = (request: AuthRequest) => [
  ["Program", programOf(request)],
  ["Kind", said(request.clientType)],
  ...(request.label?.trim() ? [["Label", said(request.label)]] : []),
  [
    "Approval code",
    `<code class="code">${request.approvalCode}</code> <small>If the program shows a code, it must be this ` +
      "one.</small>",
  ],
  [
    "The code goes to",
    request.callbackUrl === null
      ? "you, on the next page"
      : `<code>${escapeHtml(new URL(request.callbackUrl).host)}</code>`,
  ],
];

/** Lists what is known of a client that signs in by OAuth: only its document ties it to a site, its name never does. */
function oauthFactsOf(request: AuthRequest) {
  const { oauthClientId, resource } = request;
  const isDocument = oauthClientId?.startsWith("https://") === true;
  const note = isDocument
    ? `<code>${escapeHtml(new URL(oauthClientId).host)}</code> vouches for this name.`
    : "The program chose this name, and Sightline has not verified it.";
  return [
    ["Name", `${programOf(request)} <small class="note">${note}</small>`],
    ["Access", resource === "all" ? "the whole API and all tools" : "tools for agents, at /mcp"],
  ];
}

function destinationOf({ callbackUrl }: AuthRequest): string {
  const url = new URL(callbackUrl ?? "");
  const where = isLoopback(url)
    ? "a program on this computer"
    : /^https?:$/.test(url.protocol)
      ? "this site"
      : "this application on this computer";
  return `<p>If you approve, only ${where} gets access:</p>
<p class="host">${escapeHtml(shownPlaceOf(url))}</p>`;
}

/** Rights to change something: nobody has them who was not given them on purpose. */
function offeredIn({ id, offeredScopes }: AuthRequest): string {
  const offered = knownScopes(offeredScopes?.split(" ") ?? []);
  if (offered.length === 0) return "";
  const boxes = offered.map(
    (
      scope,
    ) => `<label class="box"><input type="checkbox" name="scope" value="${scope}" form="approve-${id}">
<span>${scopeWords[scope]} <small><code>${scope}</code></small></span></label>`,
  );
  return `<fieldset>
<legend>You can also allow it to</legend>
${boxes.join("\n")}
</fieldset>
`;
}

const whatApprovingDoes = (callbackUrl: string | null): string =>
  callbackUrl === null
    ? `After you approve, the next page shows a finish code. A waiting program continues automatically; otherwise the
program asks you for the code.`
    : `After you approve, your browser goes to <code>${escapeHtml(new URL(callbackUrl).host)}</code> with a code that
works once. Only the program at that address receives the code and gets access.`;

/** Writing says in its words that it includes reading. */
const scopesIn = ({ scopes }: AuthRequest): string =>
  knownScopes(scopes.split(" "))
    .filter(
      (scope, _, all) =>
        !all.some((one) => one === scope.replace(":read", ":write") && one !== scope),
    )
    .map((scope) => `<li>${scopeWords[scope]} <small><code>${scope}</code></small></li>`)
    .join("\n");

/** The forms name the account that the page shows, so that nobody approves access to another one. */
const button = (
  { id }: AuthRequest,
  { query }: ActingAccount,
  action: "approve" | "deny",
): string => {
  const path = `/agent-sessions/authorize/${id}/${action}${query}`;
  const [look, label] = action === "approve" ? ["", "Approve"] : ["quiet", "Deny"];
  return `<form class="answer" id="${action}-${id}" method="post" action="${path}">
<button class="${look}">${label}</button></form>`;
};

/** Log-in first, on the same address, so that the person comes back to the request by reloading. */
export function visitorPage({ config, control }: Deps, request: AuthRequest): string {
  if (!control.hasAccounts()) {
    return pageDocument({
      name: "error",
      title: "Set up",
      body: narrow(`<h1>Sightline is not set up yet</h1>
<p><a href="/setup">Create the first account</a>, then open this address again.</p>`),
    });
  }
  const takesSignUp = config.registration === "open" && !requiresAccount(request);
  return pageDocument({
    name: "visitor",
    title: "Log in",
    body: narrow(`<h1>Log in to Sightline</h1>
<p>${programOf(request)} requests access to your account. Log in to see the details.</p>
<noscript><p class="alert">Enable JavaScript to log in.</p></noscript>
<form id="login-form">
${fields("", "current-password", "")}
${secondStepField}
<p id="alert" class="alert" role="alert" hidden></p>
<button>Log in</button>
</form>${takesSignUp ? signUp : ""}`),
  });
}

const fields = (prefix: string, autocomplete: string, length: string): string =>
  `<label>Email
<input id="${prefix}email" type="email" autocomplete="username" required maxlength="254"></label>
<label>Password${length === "" ? "" : " <small>10 to 200 characters</small>"}
<input id="${prefix}password" type="password" autocomplete="${autocomplete}" ${length}maxlength="200"
required></label>`;

const signUp = `
<details><summary>Create an account</summary>
<form id="sign-up-form">
${fields("new-", "new-password", 'minlength="10" ')}
<p id="sign-up-alert" class="alert" role="alert" hidden></p>
<button>Create the account</button>
</form>
</details>`;

/** A client may say that only people who have an account are meant. */
function requiresAccount({ metadata }: AuthRequest): boolean {
  const told: unknown = metadata === null ? null : JSON.parse(metadata);
  return isObject(told) && told.requires_existing_account === true;
}

/** The finish code of a detached sign-in. */
export const finishPage = ({ expiresAtMs }: AuthRequest, code: string): string =>
  pageDocument({
    name: "finish",
    title: "Finish code",
    body: narrow(`<h1>Approved</h1>
<p>If the program is waiting, it continues automatically. Otherwise enter this finish code in the program:</p>
<pre class="wrap"><code id="finish-code">${escapeHtml(code)}</code></pre>
<button type="button" class="quiet" data-copy="finish-code">Copy</button>
<p>It works once, until <time datetime="${new Date(expiresAtMs).toISOString()}">${clockTime(expiresAtMs)}</time>.
Do not share it.</p>`),
  });

const clockTime = (timeMs: number): string => `${new Date(timeMs).toISOString().slice(11, 16)} UTC`;

const notice = (title: string, text: string): string =>
  pageDocument({ name: "notice", title, body: narrow(`<h1>${title}</h1>\n<p>${text}</p>`) });

export const approvedPage = notice("Approved", "Go back to the program that requested access.");
export const deniedPage = notice("Denied", "The program gets no access. You can close this page.");
export const donePage = notice("Signed in", "This sign-in is complete. You can close this page.");
