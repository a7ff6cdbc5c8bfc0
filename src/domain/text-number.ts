/** The form of a JSON number, in the words that regular expressions of JavaScript and of ClickHouse share. */
export const jsonNumberForm = "^-?(0|[1-9][0-9]*)([.][0-9]+)?([eE][+-]?[0-9]+)?$";
const form = new RegExp(jsonNumberForm);

/** Tells whether a stored value is a text that would be a number without its quotes: "49", but not "49 EUR" or 49. */
export const isTextNumber = (value: unknown): boolean =>
  typeof value === "string" && form.test(value);
