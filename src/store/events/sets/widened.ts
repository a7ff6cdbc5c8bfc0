/** A longer array of the same type, with the values in front and zeros after them. */
export function widened<A extends { set(values: A): void }>(
  type: new (size: number) => A,
  values: A,
  size: number,
): A {
  const wider = new type(size);
  wider.set(values);
  return wider;
}
