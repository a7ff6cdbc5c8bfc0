import { leaveFor } from "../lib/server-path";
import { type AuthState, call } from "./api";
import { input, onSubmit, show, write } from "./dom";
import { logIn } from "./log-in";

interface Invitation {
  readonly account: { readonly id: string; readonly name: string };
  readonly invited_by: string;
  readonly email: string;
  readonly role: "viewer" | "editor" | "admin";
  readonly has_login: boolean;
}

const meanings: Readonly<Record<Invitation["role"], string>> = {
  viewer: "You will see numbers and can change nothing.",
  editor: "You will see numbers, and can change projects, experiments and what the numbers mean.",
  admin: "You will see everything of the account, and can invite and remove members.",
};

/** /invite: the token stands behind #, which browsers send to no server. */
export async function startInvitation(): Promise<void> {
  const token = location.hash.slice(1);
  const found = await call<Invitation>("POST", "/auth/invitation", { token }).catch((error) => {
    show("over");
    throw error;
  });
  const { account, email, has_login: hasLogin, invited_by: inviter, role } = found;
  write("inviter", inviter);
  write("account", account.name);
  write("role", role);
  write("meaning", meanings[role]);
  write("invited", email);
  input("email").value = email;

  const accept = async (more: object = {}): Promise<void> => {
    await call("POST", "/auth/invitation/accept", { token, ...more });
    leaveFor(`/app?account=${account.id}`);
  };
  onSubmit("join-form", "join-alert", () => accept({ password: input("password").value }));
  onSubmit("accept-form", "accept-alert", () => accept());
  onSubmit("enter-form", "enter-alert", async () => {
    if (await logIn(email, input("known-password").value)) await accept();
  });
  onSubmit("leave-form", "leave-alert", async () => {
    await call("POST", "/auth/logout");
    location.reload();
  });

  const state = await call<AuthState>("GET", "/auth/state");
  const visitor = state.account?.user?.email ?? null;
  if (visitor !== null) write("visitor", visitor);
  show(formFor(visitor, email, hasLogin));
  show("invitation");
}

function formFor(visitor: string | null, invited: string, hasLogin: boolean): string {
  if (visitor !== null) return visitor === invited ? "accept-form" : "leave-form";
  return hasLogin ? "enter-form" : "join-form";
}
