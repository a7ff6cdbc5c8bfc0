import Type from "typebox";
import { Count, IsoTime } from "../../../domain/fields";
import { passwordCharsMax, recoveryCodesMax } from "../../../domain/limits";
import { ofOwner, ofServer, schema } from "../../../lib/schema";

const password = Type.String({ minLength: 1, maxLength: passwordCharsMax });
const code = Type.String({
  minLength: 1,
  maxLength: 16,
  description: "Six digits of the authenticator app.",
});
const recoveryCode = Type.String({ minLength: 1, maxLength: 32 });
const ok = Type.Literal(true);

export const TwoFactorState = schema(
  Type.Object(
    {
      enabled: Type.Boolean(),
      enabled_at: Type.Optional(IsoTime),
      recovery_codes_left: Count,
      required: Type.Boolean({ description: "The account requires it of its members." }),
    },
    { $id: "TwoFactorState" },
  ),
);
export const TwoFactorPassword = schema(Type.Object({ password }, { $id: "TwoFactorPassword" }));
export const TwoFactorSetup = schema(
  Type.Object(
    {
      secret: Type.String({ ...ofServer, maxLength: 32, description: "Base32." }),
      otpauth_url: Type.String({ ...ofOwner, maxLength: 1_024 }),
      qr_svg: Type.String({
        ...ofServer,
        maxLength: 65_536,
        description: "`otpauth_url` as a QR code.",
      }),
    },
    { $id: "TwoFactorSetup" },
  ),
);
export const TwoFactorCode = schema(Type.Object({ code }, { $id: "TwoFactorCode" }));
export const TwoFactorProof = schema(Type.Object({ password, code }, { $id: "TwoFactorProof" }));
export const TwoFactorEnd = schema(
  Type.Object(
    { password, code: Type.Optional(code), recovery_code: Type.Optional(recoveryCode) },
    { $id: "TwoFactorEnd" },
  ),
);
export const RecoveryCodes = schema(
  Type.Object(
    {
      ok,
      recovery_codes: Type.Array(Type.String({ ...ofServer, maxLength: 11 }), {
        maxItems: recoveryCodesMax,
        description: "Each works once, in place of a code. Only this response shows them.",
      }),
    },
    { $id: "RecoveryCodes" },
  ),
);
export const SecondStep = schema(
  Type.Object(
    {
      login_token: Type.String({ minLength: 1, maxLength: 64 }),
      code: Type.Optional(code),
      recovery_code: Type.Optional(recoveryCode),
    },
    { $id: "SecondStep" },
  ),
);
