import { pageDocument, secondStepField } from "../../http/pages/html";

/** The documents of the pages. They hold no text of anybody's: what is known of a caller arrives through the API. */

const noScript = `<noscript><p class="alert">Enable JavaScript to use this page.</p></noscript>`;

const emailField = `<label>Email
<input id="email" type="email" autocomplete="username" required maxlength="254"></label>`;

/** A link to the demo, for people without an account; empty if the demo is switched off. */
const demoLink = (hasDemo: boolean): string =>
  hasDemo
    ? `\n<p><a id="demo-link" href="/app?demo">Look at the demo</a>: you need no account.</p>`
    : "";

export const setupPage = (hasDemo: boolean): string =>
  pageDocument({
    name: "setup",
    title: "Set up",
    body: `<main class="narrow">
<h1>Set up Sightline</h1>
<p>Create the first account. It becomes the administrator of this server.</p>
<p class="fine">Events are stored for 365 days, then deleted. Set RETENTION_DAYS on the server for another number of
days, or to 0 to store them for ever. You can choose a shorter time for each project later.</p>
<noscript><p class="alert">Enable JavaScript to use this page, or run
<code>sightline setup --email you@example.com</code> on the server.</p></noscript>
<form id="setup-form">
${emailField}
<label>Password <small>10 to 200 characters</small>
<input id="password" type="password" autocomplete="new-password" required minlength="10" maxlength="200"></label>
<label id="setup-token-row" hidden>Set-up token
<small>Copy it from the line with /setup?token=… that the server printed when it started.</small>
<input id="setup-token" autocomplete="off" spellcheck="false"></label>
<p id="alert" class="alert" role="alert" hidden></p>
<button>Create the account</button>
</form>${demoLink(hasDemo)}
</main>`,
  });

export const loginPage = (hasDemo: boolean): string =>
  pageDocument({
    name: "login",
    title: "Log in",
    body: `<main class="narrow">
<h1>Log in to Sightline</h1>
${noScript}
<p id="oidc-alert" class="alert" role="alert" hidden></p>
<p id="stay" hidden>You are still logged in. <a href="/app">Back to Sightline</a></p>
<p id="oidc" hidden><a id="oidc-link" class="button" href="/auth/oidc"></a></p>
<form id="login-form">
${emailField}
<label>Password
<input id="password" type="password" autocomplete="current-password" required maxlength="200"></label>
${secondStepField}
<p id="alert" class="alert" role="alert" hidden></p>
<button>Log in</button>
</form>
<details id="sign-up" hidden><summary>Create an account</summary>
<form id="sign-up-form">
<label>Email
<input id="new-email" type="email" autocomplete="username" required maxlength="254"></label>
<label>Password <small>10 to 200 characters</small>
<input id="new-password" type="password" autocomplete="new-password" required minlength="10" maxlength="200"></label>
<p id="sign-up-alert" class="alert" role="alert" hidden></p>
<button>Create the account</button>
</form>
</details>
<details id="lost"><summary>Forgot the password?</summary>
<form id="forgot-form" hidden>
<label>Email
<input id="forgot-email" type="email" autocomplete="username" required maxlength="254"></label>
<p id="forgot-alert" class="alert" role="alert" hidden></p>
<p id="forgot-done" role="status" hidden>If this address has a log-in, a link is on its way to it.</p>
<button>Send a link</button>
</form>
<p id="no-mail" hidden>An administrator can give you a link for a new one. With access to the server, run
<code>sightline reset-link --email you@example.com</code>.</p></details>
<p><a href="/docs">Documentation</a></p>${demoLink(hasDemo)}
</main>`,
  });

export const invitePage = pageDocument({
  name: "invite",
  title: "Invitation",
  body: `<main class="narrow">
<h1>Invitation</h1>
${noScript}
<p id="alert" class="alert" role="alert" hidden></p>
<p id="over" hidden>If you have joined already, <a href="/login">log in</a>.</p>
<div id="invitation" hidden>
<p><bdi id="inviter"></bdi> invites you to the account <bdi id="account"></bdi> as <strong id="role"></strong>.</p>
<p id="meaning"></p>
<p>The invitation is for <bdi id="invited"></bdi>.</p>
<form id="join-form" hidden>
<input id="email" type="email" autocomplete="username" hidden readonly>
<label>Choose a password <small>10 to 200 characters</small>
<input id="password" type="password" autocomplete="new-password" required minlength="10" maxlength="200"></label>
<p id="join-alert" class="alert" role="alert" hidden></p>
<button>Accept and create the log-in</button>
</form>
<form id="enter-form" hidden>
<label>Password of your log-in
<input id="known-password" type="password" autocomplete="current-password" required maxlength="200"></label>
${secondStepField}
<p id="enter-alert" class="alert" role="alert" hidden></p>
<button>Log in and accept</button>
</form>
<form id="accept-form" hidden>
<p id="accept-alert" class="alert" role="alert" hidden></p>
<button>Accept</button>
</form>
<form id="leave-form" hidden>
<p>You are logged in as <bdi id="visitor"></bdi>.</p>
<p id="leave-alert" class="alert" role="alert" hidden></p>
<button>Log out and go on</button>
</form>
</div>
</main>`,
});

export const resetPage = pageDocument({
  name: "reset",
  title: "New password",
  body: `<main class="narrow">
<h1>Set a new password</h1>
${noScript}
<form id="reset-form">
<label>New password <small>10 to 200 characters</small>
<input id="password" type="password" autocomplete="new-password" required minlength="10" maxlength="200"></label>
<p id="alert" class="alert" role="alert" hidden></p>
<button>Set the password</button>
</form>
<p id="reset-done" role="status" hidden>Your new password is set, and all your browsers are logged out.
<a href="/login">Log in</a></p>
</main>`,
});
