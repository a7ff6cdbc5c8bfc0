/** The name of a property among the fields of events: `properties.plan`. */
export type PropertyField = `properties.${string}`;

export const propertyPrefix = "properties.";

export const isPropertyField = (field: string): field is PropertyField =>
  field.startsWith(propertyPrefix);

/** Returns the key under which events carry the property. */
export const keyOfProperty = (field: PropertyField): string => field.slice(propertyPrefix.length);
