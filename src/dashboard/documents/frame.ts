import { type Account, type AuthState, type Billing, call } from "./api";
import { byId, say, show } from "./dom";

/** Who is there. Nobody is led to where one logs in, and back from there; the page then never starts. */
export async function enter(): Promise<Account> {
  const { needs_setup, account } = await call<AuthState>("GET", "/auth/state");
  if (account === undefined) {
    const here = encodeURIComponent(location.pathname + location.search);
    location.replace(needs_setup ? "/setup" : `/login?next=${here}`);
    return new Promise(() => {
      // The page is being left.
    });
  }
  byId("who").textContent = account.email;
  show("admin-link", account.is_admin);
  closeWithEscape(byId("account-menu"));
  void showPlanLink();
  byId("logout").addEventListener("click", () => {
    call("POST", "/auth/logout").then(
      () => location.replace("/login"),
      (error: Error) => say("alert", error.message),
    );
  });
  return account;
}

/** Where a log-in leads: back to the page that asked for it, never to another site. */
export function nextPage(): string {
  const asked = new URLSearchParams(location.search).get("next") ?? "";
  if (!asked.startsWith("/") || !URL.canParse(asked, location.origin)) return "/app";
  const next = new URL(asked, location.origin);
  return next.origin === location.origin ? next.href : "/app";
}

/** Asks before what cannot be undone. Escape and Cancel are no. */
export function confirmed(question: string, yes: string): Promise<boolean> {
  const dialog = byId("question");
  if (!(dialog instanceof HTMLDialogElement)) throw new Error("#question is no dialog.");
  byId("question-text").textContent = question;
  byId("question-yes").textContent = yes;
  dialog.returnValue = "no";
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => resolve(dialog.returnValue === "yes"), { once: true });
  });
}

/** Where nobody can pay there is nothing to see about it. */
async function showPlanLink(): Promise<void> {
  const { billing } = await call<Billing>("GET", "/billing").catch(() => ({ billing: false }));
  show("plan-link", billing);
}

function closeWithEscape(menu: HTMLElement): void {
  document.addEventListener("keydown", ({ key }) => {
    if (key === "Escape") menu.removeAttribute("open");
  });
  document.addEventListener("pointerdown", ({ target }) => {
    if (target instanceof Node && !menu.contains(target)) menu.removeAttribute("open");
  });
}
