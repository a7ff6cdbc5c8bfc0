import { type Account, call } from "./api";
import { byId, element, input, onPress, onSubmit, say, show } from "./dom";
import { confirmed, enter } from "./frame";
import { countOf, planOf, timeOf } from "./words";

interface Feedback {
  readonly account_id: string;
  readonly message: string;
  readonly project: string | null;
  readonly command: string | null;
  readonly context: string | null;
  readonly created_at: string;
}

/** /app/admin */
export async function startAdmin(): Promise<void> {
  const { is_admin } = await enter();
  if (!is_admin) return say("alert", "Only an administrator of this server sees this page.");
  onSubmit("new-form", "new-alert", makeAccount);
  byId("change-cancel").addEventListener("click", () => changeDialog().close());
  const accounts = await showAccounts();
  await showFeedback(accounts);
  show("admin");
}

async function showAccounts(): Promise<readonly Account[]> {
  const { accounts } = await call<{ accounts: readonly Account[] }>("GET", "/admin/accounts");
  byId("accounts").replaceChildren(...accounts.map(accountCard));
  return accounts;
}

function accountCard(account: Account): HTMLElement {
  const { email, is_admin, projects_count: projects, usage } = account;
  const facts = [
    planOf(account),
    ...(is_admin ? ["administrator"] : []),
    countOf(projects, "project"),
    `${countOf(usage.events, "event")} this month`,
  ];
  const change = button("Change", `Change ${email}`, async () => openChange(account));
  const remove = button("Delete", `Delete ${email}`, () => deleteAccount(account));
  remove.classList.add("danger");
  const actions = element("p", "", [change, remove]);
  actions.className = "buttons";
  return element("li", "", [element("strong", email), element("p", facts.join(", ")), actions]);
}

function button(text: string, label: string, work: () => Promise<void>): HTMLElement {
  const made = element("button", text);
  made.setAttribute("type", "button");
  made.setAttribute("aria-label", label);
  made.className = "quiet";
  onPress(made, "accounts-alert", work);
  return made;
}

async function makeAccount(): Promise<void> {
  const { tier, ...wanted } = fields("new");
  const sent = { ...wanted, tier: tier || null, password: input("new-password").value };
  await call("POST", "/admin/accounts", sent);
  const form = byId("new-form");
  if (form instanceof HTMLFormElement) form.reset();
  byId("new").removeAttribute("open");
  await done(`${sent.email} has an account.`);
}

function openChange(account: Account): void {
  byId("change-heading").textContent = `Change ${account.email}`;
  input("change-email").value = account.email;
  input("change-password").value = "";
  tierOf("change").value = account.tier;
  input("change-complimentary").checked = account.complimentary;
  input("change-admin").checked = account.is_admin;
  onSubmit("change-form", "change-alert", () => changeAccount(account));
  say("change-alert", "");
  changeDialog().showModal();
}

/** Only what was changed is sent. A complimentary account shows Pro, so its own plan is sent when that ends. */
async function changeAccount(before: Account): Promise<void> {
  const wanted = fields("change");
  const password = input("change-password").value;
  const ends = before.complimentary && !wanted.complimentary;
  await call("PATCH", `/admin/accounts/${before.id}`, {
    ...(wanted.email !== before.email && { email: wanted.email }),
    ...(password !== "" && { password }),
    ...((wanted.tier !== before.tier || ends) && { tier: wanted.tier }),
    ...(wanted.complimentary !== before.complimentary && { complimentary: wanted.complimentary }),
    ...(wanted.is_admin !== before.is_admin && { is_admin: wanted.is_admin }),
  });
  changeDialog().close();
  await done(`${wanted.email} is changed.`);
}

async function deleteAccount({ id, email }: Account): Promise<void> {
  const question = `Delete the account ${email} and all its projects? There is no way back.`;
  if (!(await confirmed(question, "Delete everything"))) return;
  await call("DELETE", `/admin/accounts/${id}`);
  await done(`${email} is deleted.`);
}

/** Says so, and puts the focus where the list is: what had it may be gone. */
async function done(what: string): Promise<void> {
  await showAccounts();
  say("done", what);
  byId("accounts-heading").focus();
}

async function showFeedback(accounts: readonly Account[]): Promise<void> {
  const { feedback } = await call<{ feedback: readonly Feedback[] }>("GET", "/admin/feedback");
  const emails = new Map(accounts.map(({ id, email }) => [id, email]));
  show("feedback-none", feedback.length === 0);
  byId("feedback").replaceChildren(
    ...feedback.map(({ account_id, message, project, command, context, created_at }) => {
      const said = element("p", message);
      said.className = "said";
      const from = `${emails.get(account_id) ?? account_id}, ${timeOf(created_at)}`;
      const parts = [said, element("p", from)];
      if (project) parts.push(element("p", `Project: ${project}`));
      if (command) parts.push(element("p", "", [element("code", command)]));
      if (context) parts.push(element("p", context));
      return element("li", "", parts);
    }),
  );
}

const fields = (form: "new" | "change") => ({
  email: input(`${form}-email`).value.trim(),
  tier: tierOf(form).value,
  complimentary: input(`${form}-complimentary`).checked,
  is_admin: input(`${form}-admin`).checked,
});

function tierOf(form: "new" | "change"): HTMLSelectElement {
  const select = byId(`${form}-tier`);
  if (select instanceof HTMLSelectElement) return select;
  throw new Error(`#${form}-tier is no select.`);
}

function changeDialog(): HTMLDialogElement {
  const dialog = byId("change");
  if (dialog instanceof HTMLDialogElement) return dialog;
  throw new Error("#change is no dialog.");
}
