import { isoDate } from "../../../../domain/event";
import type { TimeZone } from "../../../../domain/time-zone";
import { ulid } from "../../../shared/ticket";
import type { Identity } from "../../scan/identity";
import { visitOf } from "../../segment/property-texts";
import type { Segment } from "../../segment/segment";
import type { FoundEvent } from "./newest";

/**
 * EventRows as JSON. Properties are kept as JSON and are printed as they came. A page is put together once, from all
 * pieces of its events: a text per event first would be copied twice.
 */
export class EventTexts {
  /** The text between an event's id and its name. */
  private readonly afterId: string;
  /** Texts by day, and of names and countries by segment: few, and used again and again. */
  private readonly dates = new Map<number, string>();
  private readonly values = new Map<Segment, Values>();

  constructor(
    projectId: string,
    private readonly identity: Identity,
    private readonly zone: TimeZone,
  ) {
    this.afterId = `","project_id":${JSON.stringify(projectId)},"event":`;
  }

  listOf(events: readonly FoundEvent[]): string {
    const pieces = ["["];
    for (const event of events) {
      if (pieces.length > 1) pieces.push(",");
      this.add(event, pieces);
    }
    pieces.push("]");
    return pieces.join("");
  }

  private add({ segment, row, timeMs }: FoundEvent, pieces: string[]): void {
    const { names, countries, visitors } = this.valuesOf(segment);
    pieces.push(
      '{"id":"',
      ulid(segment.projectId, segment.ticketAt(row)),
      this.afterId,
      names(row),
      ',"properties":',
    );
    segment.addPropertiesAt(row, pieces);
    pieces.push(
      visitors(row),
      `,"timestamp":${timeMs}`,
      this.upToCountry(this.zone.dayAt(timeMs)),
      countries(row),
      "}",
    );
  }

  private upToCountry(day: number): string {
    let text = this.dates.get(day);
    if (text === undefined) {
      text = `,"date":"${isoDate(day)}","country":`;
      this.dates.set(day, text);
    }
    return text;
  }

  private valuesOf(segment: Segment): Values {
    let values = this.values.get(segment);
    if (values === undefined) {
      values = {
        names: textsOf(segment, "event.name"),
        countries: textsOf(segment, "event.country"),
        visitors: this.visitorsOf(segment),
      };
      this.values.set(segment, values);
    }
    return values;
  }

  private visitorsOf(segment: Segment): (row: number) => string {
    const { users, firstRows } = segment;
    const texts = new Map<number, string>();
    return (row) => {
      const visit = visitOf(row, firstRows);
      let text = texts.get(visit);
      if (text === undefined) {
        const user = JSON.stringify(this.identity.nameOf(this.identity.canonical(users[visit])));
        text = `,"user_id":${user},"session_id":${JSON.stringify(segment.sessionIdAt(visit))}`;
        texts.set(visit, text);
      }
      return text;
    };
  }
}

interface Values {
  readonly names: (row: number) => string;
  readonly countries: (row: number) => string;
  /** User and session, the same for all events of a visit. */
  readonly visitors: (row: number) => string;
}

function textsOf(segment: Segment, column: string): (row: number) => string {
  const ofVisits = segment.visitCodes(column);
  const codes = ofVisits ?? segment.codes(column);
  const dictionary = segment.dictionary(column);
  const firstRows = ofVisits === null ? null : segment.firstRows;
  const texts = ["null"];
  return (row) => {
    const place = firstRows === null ? row : visitOf(row, firstRows);
    const code = codes === null ? 0 : codes[place];
    texts[code] ??= JSON.stringify(dictionary[code - 1]);
    return texts[code];
  };
}
