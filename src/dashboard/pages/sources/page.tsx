import type { ListCard } from "../../ui/list-values";
import { PropertyCard } from "../../ui/property-card";
import { useComparable } from "../../ui/use-comparable";

const visitors = { metric: "unique_users", unit: "Visitors" } as const;

const cards: readonly ListCard[] = [
  {
    title: "Channels",
    name: "channels",
    head: "Channel",
    tabs: [{ key: "channel", text: "Channel", field: "session.channel", ...visitors }],
  },
  {
    title: "Sources",
    name: "sources",
    head: "Source",
    tabs: [{ key: "source", text: "Source", field: "session.source", ...visitors }],
  },
  {
    title: "Referrers",
    name: "referrers",
    head: "Referrer",
    tabs: [
      { key: "site", text: "Sites", field: "session.referrer", ...visitors },
      { key: "referrer", text: "Pages", field: "properties.referrer", ...visitors },
    ],
  },
  {
    title: "Tags",
    name: "tags",
    head: "Tag",
    tabs: [
      { key: "source", text: "UTM source", field: "session.utm_source", ...visitors },
      { key: "medium", text: "Medium", field: "session.utm_medium", ...visitors },
    ],
  },
  {
    title: "Campaigns",
    name: "campaigns",
    head: "Campaign",
    tabs: [
      { key: "campaign", text: "Campaign", field: "session.utm_campaign", ...visitors },
      { key: "content", text: "Content", field: "session.utm_content", ...visitors },
      { key: "term", text: "Term", field: "session.utm_term", ...visitors },
    ],
  },
];

/** This page shows where visits come from, by the page before and by what a campaign put into the address. */
export function SourcesPage() {
  const hasDelta = useComparable();
  return (
    <div class="cards">
      {cards.map((card) => (
        <PropertyCard key={card.name} card={card} hasDelta={hasDelta} />
      ))}
    </div>
  );
}
