import Type from "typebox";
import { memberOf } from "../../../domain/caller";
import { ApiError } from "../../../domain/errors";
import { IsoTime } from "../../../domain/fields";
import { passwordCharsMax } from "../../../domain/limits";
import type { Deps } from "../../../http/deps";
import { accountOperation } from "../../../http/operation/account-operation";
import { free } from "../../../http/operation/facts";
import { nothing } from "../../../http/operation/input";
import { ofServer, schema } from "../../../lib/schema";
import { actorOf } from "../../../store/control/audit";
import { identitiesOf, unlinkIdentity } from "../../../store/control/oidc-identities";
import type { Guards } from "../guards";
import { requireOwnPassword } from "../own-password";
import { Done } from "../schema";
import { requirePasswordLogin } from "../sign-in";

const identitiesMax = 1_000;
const issuerCharsMax = 2_048;
/** OpenID Connect allows 255 characters; some providers send more. */
const subjectCharsMax = 2_048;

const LinkedIdentities = schema(
  Type.Object(
    {
      identities: Type.Array(
        Type.Object({
          issuer: Type.String({ ...ofServer, maxLength: issuerCharsMax }),
          subject: Type.String({ ...ofServer, maxLength: subjectCharsMax }),
          /** The provider's, while the server uses it. */
          name: Type.Optional(Type.String(ofServer)),
          linked_at: IsoTime,
        }),
        { maxItems: identitiesMax },
      ),
    },
    { $id: "LinkedIdentities" },
  ),
);
const IdentityEnd = schema(
  Type.Object(
    {
      issuer: Type.String({ minLength: 1, maxLength: issuerCharsMax }),
      subject: Type.String({ minLength: 1, maxLength: subjectCharsMax }),
      /** It shows that the person can log in without the identity. */
      password: Type.String({ minLength: 1, maxLength: passwordCharsMax }),
    },
    { $id: "IdentityEnd" },
  ),
);

/** A person's identities at providers of single sign-on: with each of them they can log in. */
export const identityRoutes = (deps: Deps, guards: Guards) => [
  listRoute(deps),
  unlinkRoute(deps, guards),
];

const listRoute = ({ config, control }: Deps) =>
  accountOperation("GET /auth/identities", {
    access: free("cookie", "", { role: "viewer" }),
    doc: {
      id: "listSignOnIdentities",
      summary: "List identities of single sign-on",
      description: "With each of them you can log in. The first that was linked comes first.",
      tag: "Sign-in",
    },
    takes: nothing,
    returns: { 200: LinkedIdentities },
    handle: ({ caller }) => ({
      identities: identitiesOf(control, memberOf(caller).personId, identitiesMax).map(
        ({ issuer, subject, linkedAtMs }) => ({
          ...{ issuer, subject },
          ...(config.oidc?.issuer === issuer && { name: config.oidc.name }),
          linked_at: new Date(linkedAtMs).toISOString(),
        }),
      ),
    }),
  });

const unlinkRoute = (deps: Deps, guards: Guards) =>
  accountOperation("POST /auth/identities/unlink", {
    access: free("cookie", "", { role: "viewer", fresh: "always" }),
    doc: {
      id: "endSignOnIdentity",
      summary: "Unlink an identity of single sign-on",
      description:
        "Logs out other browsers that single sign-on let in. Where passwords let nobody in, the last stays.",
      tag: "Sign-in",
      errors: [
        ...(["NOT_FOUND", "INVALID_CREDENTIALS", "PASSWORD_LOGIN_OFF"] as const),
        ...(["RATE_LIMITED", "UNAVAILABLE"] as const),
      ],
    },
    takes: IdentityEnd,
    returns: { 200: Done },
    handle: async ({ caller, input: { password, ...identity } }) => {
      const { control, config } = deps;
      await requireOwnPassword(deps, guards, caller, password);
      const { personId } = memberOf(caller);
      const isOfProvider = ({ issuer }: { readonly issuer: string }): boolean =>
        issuer === config.oidc?.issuer;
      const others = identitiesOf(control, personId, identitiesMax).filter(
        (one) => one.issuer !== identity.issuer || one.subject !== identity.subject,
      );
      const mayUsePassword = caller.person?.isAdmin === true && caller.signIn?.hasFactor === true;
      requirePasswordLogin(deps, mayUsePassword || others.some(isOfProvider));
      const kept = caller.sessionHash ?? "";
      if (control.write(() => unlinkIdentity(control, actorOf(caller), identity, kept))) {
        return { ok: true as const };
      }
      throw new ApiError(
        "NOT_FOUND",
        "Your log-in has no such identity. GET /auth/identities lists those that it has.",
      );
    },
  });
