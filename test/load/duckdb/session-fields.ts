import { channelOf, direct, nameOfHost } from "../../../src/domain/sources/channel";
import { hostOf } from "../../../src/domain/sources/referrer";
import { siteOfHost, siteOfSource } from "../../../src/domain/sources/site-table";
import { campaigns, referrers } from "../dataset";
import { quoted, type Span, sessionsOf } from "./tables";

/** Fields of sessions in SQL. Which site an address or a name is of stands in it as what our own table says. */

export const onMobile = "device = 'mobile'";

const named = (list: readonly string[]): readonly string[] => list.filter((one) => one !== "");
const hostNamed = (referrer: string): string => hostOf(referrer) ?? "";

export const sourceOfSession = `coalesce(utm_source, case referrer ${named(referrers)
  .map((one) => `when ${quoted(one)} then ${quoted(nameOfHost(hostNamed(one)))}`)
  .join(" ")} end, ${quoted(direct)})`;

const medium = "other";
export const channelOfSession = `case ${[
  ...named(campaigns).flatMap((source) => {
    const kind = siteOfSource(source)?.kind;
    const condition = `utm_source = ${quoted(source)}`;
    // If the name tells no site, the referrer does.
    if (kind !== undefined)
      return [whenThen(condition, channelOf({ medium, kind, isDirect: false }))];
    return ["", ...named(referrers)].map((referrer) =>
      whenThen(`${condition} and ${isReferrer(referrer)}`, channelFrom(referrer, false)),
    );
  }),
  ...["", ...named(referrers)].map((referrer) =>
    whenThen(isReferrer(referrer), channelFrom(referrer, referrer === "")),
  ),
].join(" ")} end`;

function isReferrer(referrer: string): string {
  return referrer === "" ? "referrer is null" : `referrer = ${quoted(referrer)}`;
}
function channelFrom(referrer: string, isDirect: boolean): string {
  const kind = referrer === "" ? null : (siteOfHost(hostNamed(referrer))?.kind ?? null);
  return channelOf({ medium, kind, isDirect });
}
function whenThen(condition: string, name: string): string {
  return `when ${condition} then ${quoted(name)}`;
}

/** The events of sessions from there. */
export const ofSource = (span: Span, source: string): string =>
  `session_id in (with ${sessionsOf(span, ["utm_source", "referrer"])}
    select session_id from sessions where ${sourceOfSession} = ${quoted(source)})`;
