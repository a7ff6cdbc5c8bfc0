import { framedPage } from "../../http/pages/frame";
import { pageDocument } from "../../http/pages/html";

/** The documents of the pages. They hold no text of anybody's: what is known of a caller arrives through the API. */

const noScript = `<noscript><p class="alert">This page needs JavaScript. Without it, use
<code>sightline setup --email you@example.com</code> on the server.</p></noscript>`;

const emailField = `<label>Email
<input id="email" type="email" autocomplete="username" required maxlength="254"></label>`;

export const setupPage = pageDocument({
  name: "setup",
  title: "Set up",
  body: `<main class="narrow">
<h1>Set up Sightline</h1>
<p>This makes the first account. It is the administrator of this server.</p>
${noScript}
<form id="setup-form">
${emailField}
<label>Password <small>10 to 200 characters</small>
<input id="password" type="password" autocomplete="new-password" required minlength="10" maxlength="200"></label>
<label id="setup-token-row" hidden>Set-up token
<small>The server printed it when it started, in the line with /setup?token=…</small>
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
<p>An administrator of this server can set a new one, under Administration. Who has the server itself uses
<code>sightline password --email you@example.com</code>.</p></details>
</main>`,
});

const copyButton = (source: string): string =>
  `<button type="button" class="quiet" data-copy="${source}">Copy</button>`;

const keySection = `<section aria-labelledby="key-heading">
<h2 id="key-heading">1. API key</h2>
<div id="key-missing" hidden>
<p>Agents, scripts and the command line read your numbers with it.</p>
<button id="make-key" type="button">Create the API key</button>
</div>
<div id="key-new" tabindex="-1" hidden>
<p>This is your API key. <strong>It is shown only now</strong>: keep it where your secrets are.</p>
<pre class="wrap"><code id="key"></code></pre>${copyButton("key")}
</div>
<p id="key-exists" hidden>This account has an API key. It was shown when it was made; a lost one is replaced
in the <a href="/app/settings">settings</a>.</p>
</section>`;

const projectSection = `<section aria-labelledby="project-heading">
<h2 id="project-heading">2. Project</h2>
<label id="project-chooser-row" hidden>Show
<select id="project-chooser"></select></label>
<details id="project-new"><summary>New project</summary>
<form id="project-form">
<label>Name <small>letters, digits, dot, dash and underscore</small>
<input id="project-name" required maxlength="64" pattern="[A-Za-z0-9._\\-]+"
title="letters, digits, dot, dash and underscore" autocomplete="off"></label>
<label>Domain of the site <small>example.com, or an origin such as https://shop.example.com</small>
<input id="project-domain" required autocomplete="off" spellcheck="false"></label>
<p id="project-alert" class="alert" role="alert" hidden></p>
<button>Create the project</button>
</form>
</details>
</section>`;

const waitingSection = `<section id="waiting" aria-labelledby="waiting-heading">
<h2 id="waiting-heading">4. First event</h2>
<p id="waiting-status" role="status" aria-live="polite">Waiting for the first event…</p>
<div id="waiting-help">
<p>Open a page of your site that has the snippet. Two things that surprise:</p>
<ul>
<li>The tracker is silent on <code>localhost</code> and <code>127.*</code>: open the site under its own name, or
under a name such as <code>lvh.me</code>.</li>
<li><code>curl</code> with its own user agent counts as automated, and automated requests are counted apart.
Give it a name of yours:</li>
</ul>
<pre class="wrap"><code id="first-event"></code></pre>${copyButton("first-event")}
</div>
<div id="arrived-help" hidden>
<p><a id="to-overview" href="/app/p">Open the overview</a>, or read it back:</p>
</div>
<pre class="wrap"><code id="first-read"></code></pre>${copyButton("first-read")}
<p><button id="send-test" type="button">Send a test event</button></p>
<p id="waiting-alert" class="alert" role="alert" hidden></p>
<div id="not-stored" hidden>
<h3>Arrived, but not stored</h3>
<div class="scroll"><table class="rows">
<thead><tr><th scope="col">What</th><th scope="col">Requests</th><th scope="col">What to do</th></tr></thead>
<tbody id="not-stored-rows"></tbody>
</table></div>
</div>
</section>`;

export const welcomePage = framedPage({
  name: "welcome",
  title: "Start",
  heading: "From here to the first number",
  path: "/app",
  main: `${keySection}
${projectSection}
<div id="project" hidden>
<section aria-labelledby="snippet-heading">
<h2 id="snippet-heading" tabindex="-1">3. Snippet for <span id="project-title"></span></h2>
<p id="snippet-note"></p>
<pre class="wrap"><code id="snippet"></code></pre>${copyButton("snippet")}
<form id="plan-form">
<label>What to measure on this site <small>the server reads the page and says what to track first</small>
<input id="plan-address" required autocomplete="off" spellcheck="false" maxlength="2000"></label>
<p id="plan-alert" class="alert" role="alert" hidden></p>
<button>Propose a plan</button>
</form>
<div id="plan" hidden>
<h3 id="plan-heading" tabindex="-1">What to measure first on <span id="plan-title"></span></h3>
<p id="plan-snippet"></p>
<ul id="plan-problems"></ul>
<ol id="plan-events"></ol>
<p><small>Texts in quotes were read from the page. An agent gets all of the plan by
<code>POST /website-scans</code>, and one of up to ten pages with <code>"full": true</code>.</small></p>
</div>
</section>
${waitingSection}
</div>`,
});
