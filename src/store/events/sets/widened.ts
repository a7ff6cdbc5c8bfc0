/** Returns a longer array of the same type: the values, followed by zeros. */
export function widened<A extends { set(values: A): void }>(
  type: new (size: number) => A,
  values: A,
  size: number,
): A {
  const wider = new type(size);
  wider.set(values);
  return wider;
}
