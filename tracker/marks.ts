import type { Properties } from "./clean";

/** `data-aa-event-plan="pro"` gives `{ plan: "pro" }`. */
export function markedProperties(element: Element, prefix: string): Properties {
  const properties: Properties = {};
  for (const { name, value } of Array.from(element.attributes)) {
    if (name.startsWith(prefix)) properties[name.slice(prefix.length)] = value;
  }
  return properties;
}
