/** JSON of plain values. Old libraries give arrays and texts a `toJSON`, with which `JSON.stringify` writes others. */
export const write = (value: unknown): string => {
  if (Object(value) !== value) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(write)}]`;
  const members = Object.entries(value as object).flatMap(([key, member]) =>
    member === undefined ? [] : `${write(key)}:${write(member)}`,
  );
  return `{${members}}`;
};

export const bytesOf = (text: string): number => new TextEncoder().encode(text).length;
