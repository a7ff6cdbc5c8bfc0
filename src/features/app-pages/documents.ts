import { pageDocument } from "../../http/pages/html";

/** The documents of the pages. They hold no text of anybody's: what is known of a caller arrives through the API. */

const noScript = `<noscript><p class="alert">Enable JavaScript to use this page, or run
<code>sightline setup --email you@example.com</code> on the server.</p></noscript>`;

const emailField = `<label>Email
<input id="email" type="email" autocomplete="username" required maxlength="254"></label>`;

export const setupPage = pageDocument({
  name: "setup",
  title: "Set up",
  body: `<main class="narrow">
<h1>Set up Sightline</h1>
<p>Create the first account. It becomes the administrator of this server.</p>
${noScript}
<form id="setup-form">
${emailField}
<label>Password <small>10 to 200 characters</small>
<input id="password" type="password" autocomplete="new-password" required minlength="10" maxlength="200"></label>
<label id="setup-token-row" hidden>Set-up token
<small>Copy it from the line with /setup?token=… that the server printed when it started.</small>
<input id="setup-token" autocomplete="off" spellcheck="false"></label>
<p id="alert" class="alert" role="alert" hidden></p>
<button>Create the account</button>
</form>
</main>`,
});

export const loginPage = pageDocument({
  name: "login",
  title: "Log in",
  body: `<main class="narrow">
<h1>Log in to Sightline</h1>
${noScript}
<form id="login-form">
${emailField}
<label>Password
<input id="password" type="password" autocomplete="current-password" required maxlength="200"></label>
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
<p>An administrator can set a new one under Administration. With access to the server, run
<code>sightline password --email you@example.com</code>.</p></details>
<p><a href="/docs">Documentation</a></p>
</main>`,
});
