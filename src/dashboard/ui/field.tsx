import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";
import { optionsOf } from "./options";

interface FieldProps {
  readonly id: string;
  readonly label: ComponentChildren;
  readonly hint?: string;
  readonly type?: "text" | "email" | "password" | "number";
  readonly value: string;
  readonly change: (value: string) => void;
  readonly autocomplete?: string;
  readonly isRequired?: boolean;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly min?: number;
  readonly max?: number;
  /** Texts to choose from. Others can be typed. */
  readonly offers?: readonly string[];
  /** The reason why the server refused the text. */
  readonly wrong?: string | undefined;
}

/** A line of text with what it is above it. */
export function Field(props: FieldProps) {
  const { label, hint, type = "text", change, isRequired = true, offers, wrong, ...rest } = props;
  const about = useId();
  const attributes = {
    ...rest,
    list: offers && `${about}-offers`,
    "aria-invalid": wrong !== undefined,
    "aria-describedby": wrong && about,
    required: isRequired,
    spellcheck: false,
    onInput: (event: { readonly currentTarget: HTMLInputElement }) =>
      change(event.currentTarget.value),
  };
  return (
    <label for={props.id}>
      <span>{label}</span>
      {hint !== undefined && <small>{hint}</small>}
      {type === "text" && <input type="text" {...attributes} />}
      {type === "email" && <input type="email" {...attributes} />}
      {type === "password" && <input type="password" {...attributes} />}
      {type === "number" && <input type="number" step="any" {...attributes} />}
      {offers !== undefined && (
        <datalist id={`${about}-offers`}>
          {offers.map((one) => (
            <option key={one} value={one} />
          ))}
        </datalist>
      )}
      {wrong !== undefined && (
        <small class="wrong" id={about} role="alert">
          {wrong}
        </small>
      )}
    </label>
  );
}

interface ChoiceProps {
  readonly id: string;
  readonly label: string;
  /** The texts of the values. */
  readonly options: Readonly<Record<string, string>>;
  readonly value: string;
  readonly change: (value: string) => void;
}

/** One of a few values, in a list. */
export const Choice = ({ id, label, options, value, change }: ChoiceProps) => (
  <label for={id}>
    <span>{label}</span>
    <select id={id} value={value} onChange={({ currentTarget }) => change(currentTarget.value)}>
      {optionsOf(Object.entries(options))}
    </select>
  </label>
);

interface CheckProps {
  readonly id: string;
  readonly label: string;
  readonly isOn: boolean;
  readonly change: (isOn: boolean) => void;
}

export const Check = ({ id, label, isOn, change }: CheckProps) => (
  <label class="check">
    <input
      id={id}
      type="checkbox"
      checked={isOn}
      onChange={(event) => change(event.currentTarget.checked)}
    />
    {label}
  </label>
);

export const passwordHint = "10 to 200 characters";
export const passwordCharsMin = 10;
export const passwordCharsMax = 200;
export const emailCharsMax = 254;
