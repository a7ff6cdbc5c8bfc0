/** Returns the hundredth of the visitors to which somebody belongs, written a second time. */
export function bucketOf(experiment: string, userId: string): number {
  const text = `${experiment}.${userId}`;
  let hash = 0n;
  for (let at = 0; at < text.length; at++) {
    hash = BigInt.asIntN(32, 31n * hash + BigInt(text.charCodeAt(at)));
  }
  return Number((hash < 0n ? -hash : hash) % 100n);
}

export interface Weighted {
  readonly key: string;
  readonly weight: number;
}

/** The first variant whose cumulative weight exceeds the bucket; if none does, the first. */
export function variantOf(
  experiment: string,
  variants: readonly Weighted[],
  userId: string,
): string {
  const bucket = bucketOf(experiment, userId);
  let cumulative = 0;
  const found = variants.find(({ weight }) => {
    cumulative += weight;
    return cumulative > bucket;
  });
  return (found ?? variants[0]).key;
}
