import type { Json, TestApp } from "./app";
import type { Entered } from "./audited";
import { logIn, type Person, password, signUp } from "./person";

/** The calls and ids of the suite. */
interface World {
  app(): TestApp;
  ann(): Person;
  byKey(method: string, path: string, body?: unknown): Promise<Json>;
  byCookie(method: string, path: string, body?: Json, who?: Person): Promise<Json>;
  noteId(made: Json, name: string): void;
  idOf(name: string): string;
  readonly known: Map<string, string>;
}

export const otherPassword = "another battery staple";
const guest = { email: "guest@example.com", password: otherPassword };

export const enteredOfPeople = (world: World): readonly Entered[] => [
  ...peopleOf(world),
  ...logInsOf(world),
  ...serverOf(world),
];

const peopleOf = ({ app, byKey, byCookie, idOf, known }: World): readonly Entered[] => [
  [
    "POST /members/invitations",
    ["member_invited"],
    async () => {
      const made = await byKey("POST", "/members/invitations", {
        email: guest.email,
        role: "admin",
      });
      known.set("token", String(made.url).split("#")[1] ?? "");
    },
  ],
  [
    "POST /auth/invitation/accept",
    ["member_joined", "signed_in"],
    async () => {
      const body = { token: idOf("token"), password: guest.password };
      const answer = await app().send("POST", "/auth/invitation/accept", { body });
      const { account } = (await answer.json()) as { account: { user: { id: string } } };
      known.set("guest", account.user.id);
    },
  ],
  [
    "DELETE /members/invitations/{id}",
    ["invitation_revoked", "member_invited"],
    async () => {
      const { id } = await byKey("POST", "/members/invitations", { email: "else@example.com" });
      await byKey("DELETE", `/members/invitations/${id}`);
    },
  ],
  [
    "PATCH /members/{id}",
    ["member_changed"],
    () => byKey("PATCH", `/members/${idOf("guest")}`, { people: false }),
  ],
  ["PATCH /members/{id}", [], () => byKey("PATCH", `/members/${idOf("guest")}`, {})],
  ["PATCH /account", ["account_changed"], () => byCookie("PATCH", "/account", { name: "Ours" })],
  [
    "POST /account/transfer",
    ["ownership_transferred"],
    () => byCookie("POST", "/account/transfer", { to: idOf("guest"), password }),
  ],
  [
    "POST /account/transfer",
    ["ownership_transferred", "signed_in"],
    async () => {
      const heir = await logIn(app(), guest.email, guest.password);
      const { user } = await byCookie("GET", "/account");
      await byCookie(
        "POST",
        "/account/transfer",
        { to: String((user as Json).id), password: guest.password },
        heir,
      );
    },
  ],
  ["DELETE /members/{id}", ["member_removed"], () => byKey("DELETE", `/members/${idOf("guest")}`)],
];

const logInsOf = ({ app, ann, byCookie }: World): readonly Entered[] => [
  ["POST /auth/login", ["signed_in"], () => logIn(app(), ann().email)],
  [
    "POST /auth/password",
    ["password_changed"],
    () =>
      byCookie("POST", "/auth/password", {
        current_password: password,
        new_password: otherPassword,
      }),
  ],
  [
    "DELETE /account/browser-sessions/{id}",
    ["signed_in", "signed_out_others"],
    async () => {
      await logIn(app(), ann().email, otherPassword);
      const { sessions } = await byCookie("GET", "/account/browser-sessions");
      const other = (sessions as readonly Json[]).find(({ is_current }) => is_current === false);
      await byCookie("DELETE", `/account/browser-sessions/${other?.id}`);
    },
  ],
  ["DELETE /account/api-key", ["key_revoked"], () => byCookie("DELETE", "/account/api-key")],
  ["DELETE /account/api-key", [], () => byCookie("DELETE", "/account/api-key")],
  ["POST /account/api-key", ["key_made"], () => byCookie("POST", "/account/api-key")],
  [
    "POST /account/revoke-key",
    ["key_made", "key_revoked"],
    () => byCookie("POST", "/account/revoke-key"),
  ],
];

const serverOf = ({ app, byCookie, noteId, idOf }: World): readonly Entered[] => [
  ["POST /auth/signup", ["account_made", "signed_in"], () => signUp(app(), "bo@example.com")],
  [
    "POST /admin/accounts",
    ["account_made"],
    async () =>
      noteId(
        await byCookie("POST", "/admin/accounts", { email: "cy@example.com", password }),
        "account",
      ),
  ],
  [
    "PATCH /admin/accounts/{id}",
    ["account_changed"],
    () => byCookie("PATCH", `/admin/accounts/${idOf("account")}`, { tier: "free" }),
  ],
  [
    "PATCH /admin/accounts/{id}",
    [],
    () => byCookie("PATCH", `/admin/accounts/${idOf("account")}`, { tier: "free" }),
  ],
  [
    "PATCH /admin/accounts/{id}",
    ["account_changed", "password_reset"],
    () => byCookie("PATCH", `/admin/accounts/${idOf("account")}`, { password: otherPassword }),
  ],
  [
    "DELETE /admin/accounts/{id}",
    ["account_deleted"],
    () => byCookie("DELETE", `/admin/accounts/${idOf("account")}`),
  ],
  [
    "DELETE /account",
    ["account_deleted", "signed_in"],
    async () => byCookie("DELETE", "/account", { password }, await logIn(app(), "bo@example.com")),
  ],
];
