import Type, { type Static } from "typebox";
import { Count, IsoTime, ObjectId } from "../../domain/fields";
import { emailCharsMax, passwordCharsMax, passwordCharsMin } from "../../domain/limits";
import { memberProjectsMax, roles } from "../../domain/role";
import { ofOwner, ofServer, ofVisitors, orNull, schema } from "../../lib/schema";

export type { MemberList, NewInvitation } from "./members/schema";
export type { TwoFactorSetup, TwoFactorState } from "./two-factor/schema";

export const browserLabelCharsMax = 64;
/** `ffff:ffff:ffff::/48`. */
const shownNetworkCharsMax = 19;

const limit = (description: string) => Type.Integer({ minimum: -1, description });

export const Account = schema(
  Type.Object(
    {
      id: ObjectId,
      email: Type.String({ ...ofOwner, maxLength: emailCharsMax }),
      github_login: Type.Null(),
      google_name: Type.Null(),
      tier: Type.Enum(["free", "pro"]),
      complimentary: Type.Boolean({ description: "Has the rights of Pro without paying." }),
      is_admin: Type.Boolean(),
      created_at: IsoTime,
      projects_count: Count,
      tier_limits: Type.Object({
        max_events_per_month: limit("-1 is unlimited."),
        max_projects: limit("-1 is unlimited."),
        max_reads_per_month: limit("-1 is unlimited."),
        retention_days: limit("Events are stored for this number of days; -1 is for ever."),
        rate_limit_rpm: limit("Requests per minute."),
      }),
      monthly_spend_cap_dollars: Type.Null(),
      usage: Type.Object({
        month: Type.String({ pattern: "^\\d{4}-\\d{2}$", maxLength: 7 }),
        events: Count,
        reads: Count,
      }),
    },
    { $id: "Account" },
  ),
);
export type Account = Static<typeof Account>;

const Role = Type.Enum([...roles], {
  description: "The rights of the person in the account.",
});
/** The account in which the caller acts, with the caller's rights in it. */
export const OwnAccount = schema(
  Type.Object(
    {
      ...Account.properties,
      name: Type.String({
        ...ofOwner,
        maxLength: emailCharsMax,
        description: "The name that the owner gave the account, or the owner's address.",
      }),
      role: Role,
      people: Type.Boolean({ description: "Whether the person may see single visitors." }),
      projects: orNull(
        Type.Array(ObjectId, {
          maxItems: memberProjectsMax,
          description: "The projects that the person may see; null is all of them.",
        }),
      ),
      two_factor: Type.Boolean({ description: "Whether the person's second factor is on." }),
      user: orNull(
        Type.Object({
          id: ObjectId,
          email: Type.String({ ...ofOwner, maxLength: emailCharsMax }),
        }),
      ),
      memberships: Type.Optional(
        Type.Array(
          Type.Object({
            id: ObjectId,
            name: Type.String({ ...ofOwner, maxLength: emailCharsMax }),
            role: Role,
          }),
          {
            description:
              "For browsers: the accounts of the person. Name one in the header X-Account to act in it.",
          },
        ),
      ),
    },
    { $id: "OwnAccount" },
  ),
);
export type OwnAccount = Static<typeof OwnAccount>;

const email = Type.String({ minLength: 1, maxLength: emailCharsMax });
const password = Type.String({
  minLength: passwordCharsMin,
  maxLength: passwordCharsMax,
  description: `${passwordCharsMin} to ${passwordCharsMax} characters.`,
});
/** One that is too short is simply wrong. */
const passwordInUse = Type.String({ minLength: 1, maxLength: passwordCharsMax });

export const SetupRequest = schema(
  Type.Object(
    {
      email,
      password,
      setup_token: Type.Optional(
        Type.String({
          maxLength: 1_024,
          description:
            "Required from other machines: copy it from the line that the server printed.",
        }),
      ),
    },
    { $id: "SetupRequest" },
  ),
);
export const SignupRequest = schema(Type.Object({ email, password }, { $id: "SignupRequest" }));
export const LoginRequest = schema(
  Type.Object({ email, password: passwordInUse }, { $id: "LoginRequest" }),
);
export const PasswordRequest = schema(
  Type.Object(
    { current_password: passwordInUse, new_password: password },
    { $id: "PasswordRequest" },
  ),
);

const passwordToken = Type.String({ minLength: 1, maxLength: 64 });
export const ForgotRequest = schema(Type.Object({ email }, { $id: "ForgotRequest" }));
export const ResetRequest = schema(
  Type.Object({ token: passwordToken, password }, { $id: "ResetRequest" }),
);
export const PasswordLink = schema(
  Type.Object(
    {
      url: Type.String({
        ...ofServer,
        maxLength: 2_048,
        description: "Only this response shows it.",
      }),
      expires_at: IsoTime,
    },
    { $id: "PasswordLink" },
  ),
);
export const Confirmation = schema(
  Type.Object(
    {
      password: passwordInUse,
      code: Type.Optional(
        Type.String({ maxLength: 16, description: "Required while your second factor is on." }),
      ),
    },
    { $id: "Confirmation" },
  ),
);

const rights = {
  tier: Type.Optional(Type.Enum(["free", "pro"])),
  complimentary: Type.Optional(
    Type.Boolean({ description: "Has the rights of Pro without paying." }),
  ),
  is_admin: Type.Optional(Type.Boolean()),
};
export const AccountCreation = schema(
  Type.Object({ email, password, ...rights }, { $id: "AccountCreation" }),
);
export const AccountChange = schema(
  Type.Object(
    { email: Type.Optional(email), password: Type.Optional(password), ...rights },
    { $id: "AccountChange" },
  ),
);
export const AccountList = schema(
  Type.Object(
    { accounts: Type.Array(Account, { description: "Oldest first." }) },
    { $id: "AccountList" },
  ),
);
export const AccountDeletion = schema(
  Type.Object({ password: passwordInUse }, { $id: "AccountDeletion" }),
);

const ok = Type.Literal(true);

export const DeletedAccount = schema(
  Type.Object({ ok, deleted: ObjectId }, { $id: "DeletedAccount" }),
);

export const SignedIn = schema(Type.Object({ ok, account: OwnAccount }, { $id: "SignedIn" }));
export const Done = schema(Type.Object({ ok }, { $id: "Done" }));
export const Confirmed = schema(
  Type.Object(
    {
      ok,
      until: { ...IsoTime, description: "Until then this browser has a fresh sign-in." },
    },
    { $id: "Confirmed" },
  ),
);
export const NewKey = schema(
  Type.Object(
    {
      ok,
      api_key: Type.String({
        ...ofServer,
        maxLength: 52,
        description: "Only this response shows it.",
      }),
    },
    { $id: "NewKey" },
  ),
);
export const KeyState = schema(
  Type.Object(
    {
      has_api_key: Type.Boolean(),
      prefix: orNull(Type.String({ ...ofServer, maxLength: 12 })),
      created_at: orNull(IsoTime),
      last_used_at: orNull(IsoTime),
    },
    { $id: "KeyState" },
  ),
);
const BrowserSessionId = Type.String({ ...ofServer, maxLength: 16 });
export const BrowserSessions = schema(
  Type.Object(
    {
      sessions: Type.Array(
        Type.Object({
          id: BrowserSessionId,
          label: orNull(Type.String({ ...ofVisitors, maxLength: browserLabelCharsMax })),
          network: {
            ...orNull(Type.String({ ...ofServer, maxLength: shownNetworkCharsMax })),
            description:
              "Network of the log-in: the first 24 bits of an IPv4 address or 48 of an IPv6 address. Null if unknown.",
          },
          is_current: Type.Boolean({ description: "True for the requesting browser." }),
          created_at: IsoTime,
          last_seen_at: { ...IsoTime, description: "Accurate to the day." },
        }),
        { description: "Last seen first." },
      ),
    },
    { $id: "BrowserSessions" },
  ),
);
export const EndedBrowserSession = schema(
  Type.Object({ ok, deleted: BrowserSessionId }, { $id: "EndedBrowserSession" }),
);
export const AuthState = schema(
  Type.Object(
    {
      needs_setup: Type.Boolean({
        description: "True if no account exists yet: use POST /auth/setup.",
      }),
      setup_token_required: Type.Boolean({
        description: "True if set-up from this client needs the token.",
      }),
      registration: Type.Enum(["open", "closed"]),
      billing: Type.Boolean(),
      mail: Type.Boolean({
        description: "True if the server sends mail: POST /auth/forgot works.",
      }),
      oidc: Type.Optional(
        Type.Object(
          { name: Type.String({ ...ofServer, maxLength: 64 }) },
          { description: "Present if there is single sign-on: GET /auth/oidc." },
        ),
      ),
      password_login: Type.Boolean({
        description: "False if single sign-on alone lets people in.",
      }),
      authenticated: Type.Boolean(),
      account: Type.Optional(OwnAccount),
    },
    { $id: "AuthState" },
  ),
);
