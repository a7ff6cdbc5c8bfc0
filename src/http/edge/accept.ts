/**
 * Reads an `Accept` or `Accept-Encoding`, and returns each name with its weight: `br;q=0.5, gzip` → br 0.5, gzip 1. The
 * weight 0 refuses.
 */
export function weightsIn(accepted: string): ReadonlyMap<string, number> {
  return new Map(
    accepted.split(",").map((part) => {
      const [name = "", ...parameters] = part.toLowerCase().split(";");
      const weight = parameters.map((one) => one.trim()).find((one) => one.startsWith("q="));
      return [name.trim(), weight === undefined ? 1 : weightOf(weight.slice(2))];
    }),
  );
}

const weightOf = (text: string): number => (/^(0(\.\d*)?|1(\.0*)?)$/.test(text) ? Number(text) : 0);

/**
 * Tells whether `Accept` prefers a type to JSON. If both have the same weight, the type has to be named and JSON not.
 */
export function likesBetterThanJson(type: string, headers: Headers): boolean {
  const accepted = headers.get("accept");
  if (accepted === null) return false;
  const weights = weightsIn(accepted);
  const weightOfType = (name: string): number =>
    weights.get(name) ?? weights.get(`${name.split("/")[0]}/*`) ?? weights.get("*/*") ?? 0;
  const [weight, ofJson] = [weightOfType(type), weightOfType(jsonName)];
  if (weight !== ofJson) return weight > ofJson;
  return weight > 0 && weights.has(type) && !weights.has(jsonName);
}

const jsonName = "application/json";

/** Tells whether `Accept` names Markdown or plain text before HTML, which browsers name first. */
export function likesTextBetterThanHtml(headers: Headers): boolean {
  const weights = weightsIn(headers.get("accept") ?? "");
  const names = [...weights.keys()];
  const ofHtml = weights.get("text/html") ?? 0;
  return ["text/markdown", "text/plain"].some((type) => {
    const weight = weights.get(type) ?? 0;
    const isFirst = ofHtml === 0 || names.indexOf(type) < names.indexOf("text/html");
    return weight > 0 && weight >= ofHtml && isFirst;
  });
}
