import {
  type ChangeDimension,
  dimensionsDefault,
  namedDimensions,
  propertyDimensionsMax,
} from "../../domain/changes/change-counts";
import { invalidField } from "../../domain/errors";
import { checkPropertyKey } from "../../domain/filter";

const ofProperties = "properties.";

/** The dimensions of a list with commas, each once; those that are usual where none are named. */
export function dimensionsOf(text: string | undefined): readonly ChangeDimension[] {
  if (text === undefined) return dimensionsDefault;
  const found = new Set(text.split(",").map((word) => dimensionOf(word.trim())));
  const properties = [...found].filter((name) => name.startsWith(ofProperties));
  if (properties.length > propertyDimensionsMax) {
    const message = `"dimensions" may have at most ${propertyDimensionsMax} properties.`;
    throw invalidField("dimensions", message);
  }
  return [...found];
}

function dimensionOf(word: string): ChangeDimension {
  const named = namedDimensions.find((name) => name === word);
  if (named !== undefined) return named;
  if (word.startsWith(ofProperties)) {
    return `${ofProperties}${checkPropertyKey(word.slice(ofProperties.length), "dimensions")}`;
  }
  throw invalidField(
    "dimensions",
    `"dimensions" must be a comma-separated list of ${namedDimensions.join(", ")} or properties.<key>.`,
  );
}
