import { PropertyCard } from "../../ui/property-card";

const campaign = [
  { key: "campaign", text: "Campaign", property: "utm_campaign" },
  { key: "content", text: "Content", property: "utm_content" },
  { key: "term", text: "Term", property: "utm_term" },
];

/** Where page views come from: the page before, or what a campaign put into the address. */
export const SourcesPage = () => (
  <div class="cards">
    <PropertyCard
      title="Referrers"
      name="referrers"
      head="Page before"
      tabs={[{ key: "referrer", text: "Referrer", property: "referrer" }]}
    />
    <PropertyCard
      title="Sources"
      name="sources"
      head="Source"
      tabs={[
        { key: "source", text: "UTM source", property: "utm_source" },
        { key: "medium", text: "Medium", property: "utm_medium" },
      ]}
    />
    <PropertyCard title="Campaigns" name="campaigns" head="Campaign" tabs={campaign} />
  </div>
);
