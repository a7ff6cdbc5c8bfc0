import { dayOf, isoDate } from "../../../domain/event";
import type { Segment } from "../segment/segment";
import { ulid } from "../segment/ticket";
import type { Identity } from "./identity";
import type { FoundEvent } from "./newest";

/** EventRows as JSON. Properties are kept as JSON and are printed as they came. */
export class EventTexts {
  private readonly projectId: string;
  /** Texts of days, and of names and countries by segment: few, and used again and again. */
  private readonly dates = new Map<number, string>();
  private readonly values = new Map<Segment, Values>();

  constructor(
    projectId: string,
    private readonly identity: Identity,
  ) {
    this.projectId = JSON.stringify(projectId);
  }

  of({ segment, row, timeMs }: FoundEvent): string {
    const { names, countries, users } = this.valuesOf(segment);
    const visit = segment.visitOfRow[row];
    return (
      `{"id":"${ulid(segment.projectId, segment.ticketAt(row))}"` +
      `,"project_id":${this.projectId}` +
      `,"event":${names(row)}` +
      `,"properties":${segment.propertiesAt(row)}` +
      `,"user_id":${JSON.stringify(this.identity.nameOf(users[visit]))}` +
      `,"session_id":${JSON.stringify(segment.sessionIds[visit])}` +
      `,"timestamp":${timeMs}` +
      `,"date":${this.dateOf(dayOf(timeMs))}` +
      `,"country":${countries(row)}}`
    );
  }

  private dateOf(day: number): string {
    let date = this.dates.get(day);
    if (date === undefined) {
      date = JSON.stringify(isoDate(day));
      this.dates.set(day, date);
    }
    return date;
  }

  private valuesOf(segment: Segment): Values {
    let values = this.values.get(segment);
    if (values === undefined) {
      values = {
        names: textsOf(segment, "event.name"),
        countries: textsOf(segment, "event.country"),
        users: this.identity.usersOf(segment),
      };
      this.values.set(segment, values);
    }
    return values;
  }
}

interface Values {
  readonly names: (row: number) => string;
  readonly countries: (row: number) => string;
  readonly users: Uint32Array;
}

function textsOf(segment: Segment, column: string): (row: number) => string {
  const codes = segment.codes(column);
  const dictionary = segment.dictionary(column);
  const texts = ["null"];
  return (row) => {
    const code = codes === null ? 0 : codes[row];
    texts[code] ??= JSON.stringify(dictionary[code - 1]);
    return texts[code];
  };
}
