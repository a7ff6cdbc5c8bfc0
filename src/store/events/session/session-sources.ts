import {
  type Channel,
  channelOf,
  channels,
  direct,
  mediumOf,
  mediums,
  nameOfHost,
  nameOfSource,
} from "../../../domain/sources/channel";
import {
  type SiteKind,
  siteKinds,
  siteOfHost,
  siteOfSource,
} from "../../../domain/sources/site-table";
import { TextTable } from "../sets/text-table";
import type { Workspace } from "../sets/workspace";
import type { CachedValues, SessionValues } from "./field-values";

/*
 * These fields follow from other fields of a session. Each is computed for the values of those fields, of which there
 * are far fewer than sessions.
 */

/** The name of the utm_source, or else of the referrer's host. */
export class Sources implements CachedValues {
  private readonly names: TextTable;
  private readonly ofSource: Uint32Array;
  private readonly ofReferrer: Uint32Array;

  constructor(
    workspace: Workspace,
    private readonly utmSources: SessionValues,
    private readonly referrers: SessionValues,
  ) {
    const names = new TextTable(workspace.secret, workspace.budget);
    this.names = names;
    this.ofSource = numbersOf(workspace, utmSources, (source) => {
      const name = nameOfSource(source);
      return name === null ? 0 : names.numberOfText(name) + 1;
    });
    this.ofReferrer = numbersOf(
      workspace,
      referrers,
      (host) => names.numberOfText(nameOfHost(host)) + 1,
    );
    this.ofReferrer[0] = names.numberOfText(direct) + 1;
  }

  get bytes(): number {
    return this.names.byteLength + this.ofSource.byteLength + this.ofReferrer.byteLength;
  }
  get count(): number {
    return this.names.size;
  }
  numberOf(session: number): number {
    const name = this.ofSource[this.utmSources.numberOf(session)];
    return name === 0 ? this.ofReferrer[this.referrers.numberOf(session)] : name;
  }
  copyInto(numbers: Uint32Array, from: number): void {
    const { ofSource, ofReferrer } = this;
    const referrers = new Uint32Array(numbers.length);
    this.utmSources.copyInto(numbers, from);
    this.referrers.copyInto(referrers, from);
    for (let at = 0; at < numbers.length; at++) {
      numbers[at] = ofSource[numbers[at]] || ofReferrer[referrers[at]];
    }
  }
  text(number: number): string {
    return this.names.text(number - 1);
  }
  byteAt(number: number, place: number): number {
    return this.names.byteAt(number - 1, place);
  }
}

/** Channels. The utm_medium and the kind of site that utm_source or the referrer names decide the channel. */
export class Channels implements CachedValues {
  /** Numbers of kinds and mediums, from 1; 0 for a value without one. */
  private readonly kindOfSource: Uint32Array;
  /** A 1 for each utm_source that has a name. */
  private readonly isSource: Uint32Array;
  private readonly kindOfReferrer: Uint32Array;
  private readonly mediumOf: Uint32Array;

  constructor(
    workspace: Workspace,
    private readonly utmSources: SessionValues,
    private readonly utmMediums: SessionValues,
    private readonly referrers: SessionValues,
  ) {
    this.kindOfSource = numbersOf(workspace, utmSources, (source) =>
      kindNumber(siteOfSource(source)?.kind),
    );
    this.isSource = numbersOf(workspace, utmSources, (source) =>
      nameOfSource(source) === null ? 0 : 1,
    );
    this.kindOfReferrer = numbersOf(workspace, referrers, (host) =>
      kindNumber(siteOfHost(host)?.kind),
    );
    this.mediumOf = numbersOf(workspace, utmMediums, (text) => mediums.indexOf(mediumOf(text)) + 1);
  }

  get bytes(): number {
    const { kindOfSource, isSource, kindOfReferrer, mediumOf: mediumOfText } = this;
    return [kindOfSource, isSource, kindOfReferrer, mediumOfText].reduce(
      (sum, { byteLength }) => sum + byteLength,
      0,
    );
  }
  get count(): number {
    return channels.length;
  }
  numberOf(session: number): number {
    const source = this.utmSources.numberOf(session);
    const referrer = this.referrers.numberOf(session);
    const medium = this.mediumOf[this.utmMediums.numberOf(session)];
    const kind = this.kindOfSource[source] || this.kindOfReferrer[referrer];
    const isDirect = this.isSource[source] === 0 && referrer === 0 ? 1 : 0;
    return channelNumbers[channelIndex(medium, kind, isDirect)];
  }
  copyInto(numbers: Uint32Array, from: number): void {
    for (let at = 0; at < numbers.length; at++) numbers[at] = this.numberOf(from + at);
  }
  text(number: number): string {
    return channels[number - 1];
  }
  byteAt(number: number, place: number): number {
    const name: string = channels[number - 1];
    return place < name.length ? name.charCodeAt(place) : -1;
  }
}

/** Returns a number for each text of a field; 0 for sessions without a value. */
function numbersOf(
  { budget }: Workspace,
  values: SessionValues,
  numberOf: (text: string) => number,
): Uint32Array {
  const numbers = budget.words(values.count + 1);
  budget.each(values.count, (index) => {
    numbers[index + 1] = numberOf(values.text(index + 1));
  });
  return numbers;
}

const kindNumber = (kind: SiteKind | undefined): number =>
  kind === undefined ? 0 : siteKinds.indexOf(kind) + 1;

const channelIndex = (medium: number, kind: number, isDirect: number): number =>
  (medium * (siteKinds.length + 1) + kind) * 2 + isDirect;

/** By medium, kind of site, and whether a session has neither a utm_source nor a referrer: the channel. */
const channelNumbers = new Uint8Array(channelIndex(mediums.length + 1, 0, 0));
for (let medium = 0; medium <= mediums.length; medium++) {
  for (let kind = 0; kind <= siteKinds.length; kind++) {
    for (const isDirect of [0, 1]) {
      const channel: Channel = channelOf({
        medium: mediums[medium - 1] ?? "other",
        kind: siteKinds[kind - 1] ?? null,
        isDirect: isDirect === 1,
      });
      channelNumbers[channelIndex(medium, kind, isDirect)] = channels.indexOf(channel) + 1;
    }
  }
}
