import type { Properties } from "./clean";

export const read = (element: Element, name: string): string => element.getAttribute(name) || "";

/** `data-aa-event-plan="pro"` gives `{ plan: "pro" }`. */
export const markedProperties = (element: Element, mark: string): Properties => {
  const properties: Properties = {};
  for (const { name, value } of element.attributes) {
    const [, key] = name.split(`${mark}-`);
    if (key) properties[key] = value;
  }
  return properties;
};
