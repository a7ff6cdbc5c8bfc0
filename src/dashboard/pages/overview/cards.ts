import type { ListCard } from "../../ui/list-values";

const visitors = { metric: "unique_users", unit: "Visitors" } as const;
const sessions = { metric: "session_count", unit: "Sessions" } as const;

export const sourcesCard: ListCard = {
  title: "Sources",
  name: "sources",
  head: "Source",
  tabs: [
    { key: "source", text: "Sources", field: "session.source", ...visitors },
    { key: "channel", text: "Channels", field: "session.channel", ...visitors },
    { key: "campaign", text: "Campaigns", field: "session.utm_campaign", ...visitors },
  ],
};
export const pagesCard: ListCard = {
  title: "Pages",
  name: "pages",
  head: "Page",
  tabs: [
    { key: "all", text: "All", field: "properties.path", ...visitors },
    { key: "entry", text: "Entry", field: "session.entry_page", ...sessions },
    { key: "exit", text: "Exit", field: "session.exit_page", ...sessions },
  ],
};
export const countriesCard: ListCard = {
  title: "Countries",
  name: "countries",
  head: "Country",
  tabs: [{ key: "country", text: "Country", field: "country", ...visitors }],
};
export const devicesCard: ListCard = {
  title: "Devices",
  name: "devices",
  head: "Device",
  tabs: [
    { key: "device", text: "Type", field: "properties.device", ...visitors },
    { key: "browser", text: "Browsers", field: "properties.browser", ...visitors },
    { key: "os", text: "Systems", field: "properties.os", ...visitors },
  ],
};

/** Lists of the values of a field; of each the chosen tab is asked with the rest of the overview. */
export const listCards = [sourcesCard, pagesCard, countriesCard, devicesCard] as const;
