/** A recorded event after cleaning. Its data has the form that rrweb gives it, as far as the cleaner names it. */
export interface RecordedEvent {
  readonly type: number;
  readonly timestamp: number;
  readonly data: Fields;
}
export type Fields = Readonly<Record<string, unknown>>;

/** rrweb's numbers, as far as they are needed here. */
export const eventType = { snapshot: 2, change: 3, meta: 4, custom: 5 } as const;
export const changeSource = {
  nodes: 0,
  mouseMove: 1,
  mouse: 2,
  scroll: 3,
  resize: 4,
  input: 5,
  touchMove: 6,
  styleRules: 8,
  styleDeclaration: 13,
  adoptedSheets: 15,
} as const;
export const mouseClick = 2;
export const nodeType = { document: 0, element: 2, text: 3 } as const;
/** The tag of the custom event by which the recorder tells a change of address without a load. */
export const routeTag = "aa-route";

export const fieldsOf = (value: unknown): Fields => (isFields(value) ? value : none);
export const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);
export const listOf = (value: unknown): readonly Fields[] =>
  Array.isArray(value) ? value.filter(isFields) : [];
export const textOf = (value: unknown): string => (typeof value === "string" ? value : "");
export const numberOf = (value: unknown): number => (typeof value === "number" ? value : 0);

const none: Fields = {};
