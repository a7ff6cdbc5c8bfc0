/** The options of a select: pairs of a value and its text. */
export const optionsOf = (pairs: readonly (readonly [string | number, string])[]) =>
  pairs.map(([value, text]) => (
    <option key={value} value={value}>
      {text}
    </option>
  ));

/** The same for values that are texts, or have a text each. */
export const optionsFor = (values: readonly string[], textOf = (value: string) => value) =>
  optionsOf(values.map((value) => [value, textOf(value)]));
