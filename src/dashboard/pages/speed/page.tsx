import { ErrorsCard } from "./errors";
import { Listed } from "./listed";
import { VitalsCards } from "./vitals-cards";

/** The page that shows where the site is slow or broken, and where its visitors leave it by links and files. */
export const SpeedPage = () => (
  <div class="stack">
    <VitalsCards />
    <ErrorsCard />
    <div class="cards">
      <Listed
        title="Missing pages"
        event="$404"
        attribute="data-track-404"
        head="Address"
        tabs={[
          ["properties.path", "Address"],
          ["properties.referrer", "Link on"],
        ]}
      />
      <Listed
        title="Outgoing links"
        event="outgoing_link"
        attribute="data-track-outgoing"
        head="Link"
        tabs={[
          ["properties.hostname", "Site"],
          ["properties.href", "Address"],
          ["properties.path", "From page"],
        ]}
      />
      <Listed
        title="Downloads"
        event="$download"
        attribute="data-track-downloads"
        head="File"
        tabs={[
          ["properties.href", "File"],
          ["properties.extension", "Type"],
          ["properties.path", "From page"],
        ]}
      />
    </div>
  </div>
);
