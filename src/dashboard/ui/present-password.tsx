import { Field, passwordCharsMax } from "./field";

interface Props {
  readonly id: string;
  readonly label: string;
  /** The address of the account, by which a password manager finds the password. */
  readonly email: string;
  readonly value: string;
  readonly change: (value: string) => void;
}

/** Asks somebody who is known for the password that they have. */
export function PresentPassword({ id, label, email, value, change }: Props) {
  return (
    <>
      <input type="email" autocomplete="username" value={email} hidden readOnly />
      <Field
        id={id}
        label={label}
        type="password"
        autocomplete="current-password"
        maxLength={passwordCharsMax}
        value={value}
        change={change}
      />
    </>
  );
}
