import { framedPage } from "../../http/pages/frame";

const accountSection = `<section aria-labelledby="account-heading">
<h2 id="account-heading">Account</h2>
<dl>
<dt>Email</dt><dd><bdi id="account-email"></bdi></dd>
<dt>Account id</dt><dd><code id="account-id"></code></dd>
<dt>Plan</dt><dd><span id="account-plan"></span></dd>
<dt>This month</dt><dd id="account-usage"></dd>
</dl>
</section>`;

const keySection = `<section aria-labelledby="key-heading">
<h2 id="key-heading">API key</h2>
<p>Scripts and agents read your numbers with it. Whoever has it can do nearly everything that you can.</p>
<p id="key-state"></p>
<div id="key-new" tabindex="-1" hidden>
<p>This is your API key. <strong>It is shown only now</strong>: keep it where your secrets are.</p>
<pre class="wrap"><code id="key"></code></pre><button type="button" class="quiet" data-copy="key">Copy</button>
</div>
<p class="buttons">
<button id="key-make" type="button" hidden>Create the API key</button>
<button id="key-replace" type="button" class="quiet" hidden>Replace it</button>
<button id="key-delete" type="button" class="quiet danger" hidden>Delete it</button></p>
<p id="key-alert" class="alert" role="alert" hidden></p>
</section>`;

const sessionsSection = (what: "agent" | "browser", title: string, text: string): string =>
  `<section aria-labelledby="${what}-heading">
<h2 id="${what}-heading" tabindex="-1">${title}</h2>
<p>${text}</p>
<p id="${what}-none" hidden>There are none.</p>
<ul id="${what}-sessions" class="cards"></ul>
<p id="${what}-alert" class="alert" role="alert" hidden></p>
</section>`;

const passwordSection = `<section aria-labelledby="password-heading">
<h2 id="password-heading">Password</h2>
<p>A new password logs out your other browsers. Agents and the API key stay.</p>
<form id="password-form">
<input type="email" id="password-email" autocomplete="username" hidden>
<label>Password now
<input id="password-now" type="password" autocomplete="current-password" required maxlength="200"></label>
<label>New password <small>10 to 200 characters</small>
<input id="password-new" type="password" autocomplete="new-password" required minlength="10" maxlength="200"></label>
<p id="password-alert" class="alert" role="alert" hidden></p>
<p id="password-done" class="done" role="status" hidden></p>
<button>Change the password</button>
</form>
</section>`;

const deletionSection = `<section aria-labelledby="deletion-heading">
<h2 id="deletion-heading">Delete the account</h2>
<details><summary>What this does</summary>
<p>All your projects, keys and sessions stop at once; the data is erased 30 days later. There is no way back.</p>
<form id="deletion-form">
<input type="email" id="deletion-email" autocomplete="username" hidden>
<label>Password
<input id="deletion-password" type="password" autocomplete="current-password" required maxlength="200"></label>
<p id="deletion-alert" class="alert" role="alert" hidden></p>
<button class="danger">Delete the account</button>
</form>
</details>
</section>`;

export const settingsPage = framedPage({
  name: "settings",
  title: "Settings",
  path: "/app/settings",
  main: `<div id="settings" hidden>
${accountSection}
${keySection}
${sessionsSection("agent", "Agents", "Programs that you let in to read for you.")}
${sessionsSection("browser", "Browsers", "Where you are logged in.")}
${passwordSection}
${deletionSection}
</div>`,
});
