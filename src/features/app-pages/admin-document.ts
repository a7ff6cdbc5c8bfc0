import { framedPage } from "../../http/pages/frame";

const rightsFields = (form: string, noChoice = ""): string => `<label>Plan
<select id="${form}-tier">${noChoice}<option value="free">Free</option><option value="pro">Pro</option></select></label>
<label class="check"><input id="${form}-complimentary" type="checkbox"> Pro without paying</label>
<label class="check"><input id="${form}-admin" type="checkbox"> Administrator</label>`;

const newSection = `<section aria-labelledby="new-heading">
<h2 id="new-heading">New account</h2>
<details id="new"><summary>Make an account for somebody</summary>
<form id="new-form" autocomplete="off">
<label>Email
<input id="new-email" type="email" required maxlength="254" autocomplete="off"></label>
<label>Password <small>10 to 200 characters; they can change it</small>
<input id="new-password" type="password" required minlength="10" maxlength="200" autocomplete="new-password"></label>
${rightsFields("new", '<option value="">As usual on this server</option>')}
<p id="new-alert" class="alert" role="alert" hidden></p>
<button>Make the account</button>
</form>
</details>
</section>`;

const accountsSection = `<section aria-labelledby="accounts-heading">
<h2 id="accounts-heading" tabindex="-1">Accounts</h2>
<p id="accounts-alert" class="alert" role="alert" hidden></p>
<ul id="accounts" class="cards"></ul>
</section>`;

const feedbackSection = `<section aria-labelledby="feedback-heading">
<h2 id="feedback-heading">Feedback</h2>
<p id="feedback-none" hidden>Nobody has said anything yet.</p>
<ul id="feedback" class="cards"></ul>
</section>`;

const changeDialog = `<dialog id="change" aria-labelledby="change-heading"><form id="change-form" autocomplete="off">
<h2 id="change-heading">Change an account</h2>
<label>Email
<input id="change-email" type="email" required maxlength="254" autocomplete="off"></label>
<label>New password <small>left empty, it stays as it is; a new one logs their browsers out</small>
<input id="change-password" type="password" minlength="10" maxlength="200" autocomplete="new-password"></label>
${rightsFields("change")}
<p id="change-alert" class="alert" role="alert" hidden></p>
<p class="buttons"><button>Save</button> <button id="change-cancel" type="button" class="quiet">Cancel</button></p>
</form></dialog>`;

export const adminPage = framedPage({
  name: "admin",
  title: "Administration",
  path: "/app/admin",
  main: `<div id="admin" hidden>
${accountsSection}
${newSection}
${feedbackSection}
</div>
${changeDialog}`,
});
