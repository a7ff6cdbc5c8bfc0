import { propertiesBytesMax, propertiesDepthMax } from "../domain/limits";
import type { JsonScanner } from "../lib/json-scanner";

/** The least that a value has: bytes of its JSON text, and levels of nested objects or lists. */
interface Extent {
  readonly bytes: number;
  readonly levels: number;
}

/**
 * Walks over `properties` or `traits` as they were sent and says what is certainly wrong with them, as
 * `judgeProperties` would once they are parsed. Null says nothing: what is close to the bounds is judged when parsed.
 * Where both is wrong, the size is what counts.
 */
export function certainFault(scanner: JsonScanner): "too large" | "too deep" | null {
  const { bytes, levels } = extentOf(scanner, 1);
  if (bytes > propertiesBytesMax) return "too large";
  return levels > propertiesDepthMax ? "too deep" : null;
}

function extentOf(scanner: JsonScanner, depth: number): Extent {
  const { type } = scanner;
  if (type === "string") return { bytes: scanner.string().length + 2, levels: 0 };
  if (type === "object" && depth <= propertiesDepthMax) return extentOfObject(scanner, depth);
  if (type === "array" && depth <= propertiesDepthMax) return extentOfArray(scanner, depth);
  scanner.skip();
  if (type === "number") return { bytes: 1, levels: 0 };
  return type === "boolean" || type === "null" ? { bytes: 4, levels: 0 } : { bytes: 2, levels: 1 };
}

/**
 * Only the last value of a repeated key counts, so a value that is too large settles nothing; the number of keys does.
 */
function extentOfObject(scanner: JsonScanner, depth: number): Extent {
  const members = new Map<string, Extent>();
  let keyBytes = 2;
  scanner.members((key) => {
    if (keyBytes > propertiesBytesMax) return scanner.skip();
    if (!members.has(key)) keyBytes += key.length + 3;
    members.set(key, extentOf(scanner, depth + 1));
  });
  let bytes = keyBytes;
  let levels = 0;
  for (const value of members.values()) {
    bytes += value.bytes;
    levels = Math.max(levels, value.levels);
  }
  return { bytes, levels: levels + 1 };
}

function extentOfArray(scanner: JsonScanner, depth: number): Extent {
  let bytes = 1;
  let levels = 0;
  scanner.items(() => {
    if (bytes > propertiesBytesMax) return scanner.skip();
    const item = extentOf(scanner, depth + 1);
    bytes += item.bytes + 1;
    levels = Math.max(levels, item.levels);
  });
  return { bytes, levels: levels + 1 };
}
