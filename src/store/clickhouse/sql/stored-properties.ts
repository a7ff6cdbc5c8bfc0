/** These columns hold all properties of an event. */
export const propertiesColumns = `has_properties, mapKeys(properties) as keys,
  arrayMap(value -> if(startsWith(value, '\\xFF'), concat('j', substring(value, 2)), concat('s', value)),
    mapValues(properties)) as values`;

export interface StoredProperties {
  readonly has_properties: boolean;
  readonly keys: readonly string[];
  /** Each value follows a letter that says whether it is a text or JSON. */
  readonly values: readonly string[];
}

/** Returns the properties as JSON, each value printed as it came, or null when the event has none. */
export function propertiesText({ has_properties, keys, values }: StoredProperties): string | null {
  if (!has_properties) return null;
  const members = keys.map((key, index) => {
    const value = values[index];
    const text = value.startsWith("s") ? JSON.stringify(value.slice(1)) : value.slice(1);
    return `${JSON.stringify(key)}:${text}`;
  });
  return `{${members.join(",")}}`;
}
