export interface Marking {
  readonly attribute: string;
  readonly event: string;
  readonly selector: string;
  readonly number: number;
  readonly path: string;
}

/**
 * What a person reads out of `Add data-aa-event="x" to the link "y" (a[href="/z"], number 2 of these) on /.` The text
 * in quotes is the page's, and may hold anything.
 */
export function markingOf(hint: string): Marking | null {
  const quoted = String.raw`"(?:\\.|[^"\\])*"`;
  const place = String.raw`\((.+?)(?:, number (\d+) of these)?\) on (\/\S*?)\.(?: |$)`;
  const form = new RegExp(`^Add (data-aa-\\w+)="(\\w+)" to the \\w+(?: ${quoted})? ${place}`);
  const [, attribute, event = "", selector = "", number = "1", path = ""] = form.exec(hint) ?? [];
  return attribute === undefined
    ? null
    : { attribute, event, selector, number: Number(number), path };
}
