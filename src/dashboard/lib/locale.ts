/** The page that a script runs in; unit tests have none. */
interface Surroundings {
  readonly document?: object;
  readonly navigator?: { readonly language?: string };
}
const { document: page, navigator: browser }: Surroundings = globalThis;

/** The locale in which dates are written: the browser's own. In unit tests it is fixed. */
export const locale = (page === undefined ? undefined : browser?.language) ?? "en-GB";

/** A locale with its week, which some browsers lack and others have as a property. */
interface WithWeek {
  readonly language: string;
  readonly getWeekInfo?: () => { readonly firstDay: number };
  readonly weekInfo?: { readonly firstDay: number };
}

/** The first day of the week of a locale: 1 for Monday, 7 for Sunday. Monday where the browser does not know. */
export function firstDayOf(name: string): number {
  const known: WithWeek = new Intl.Locale(name);
  return (known.getWeekInfo?.() ?? known.weekInfo)?.firstDay ?? 1;
}
export const firstDay = firstDayOf(locale);
