import { framedPage } from "../../http/pages/frame";

const table = (id: string, heading: string, columns: readonly string[]): string =>
  `<section aria-labelledby="${id}-heading">
<h2 id="${id}-heading">${heading}</h2>
<p id="${id}-none" class="none">None in the last minute.</p>
<table id="${id}-table" hidden>
<thead><tr>${columns.map((column) => `<th scope="col">${column}</th>`).join("")}</tr></thead>
<tbody id="${id}"></tbody>
</table>
</section>`;

export const livePage = framedPage({
  name: "live",
  title: "Live",
  path: "/app/live",
  main: `<label id="live-project-row" hidden>Project
<select id="live-project"></select></label>
<p id="live-status" role="status">Connecting…</p>
<p id="live-help" hidden></p>
<p class="buttons"><button id="live-retry" type="button" hidden>Connect again</button>
<button id="live-pause" type="button" class="quiet" aria-pressed="false" hidden>Pause</button></p>
<p id="live-none" hidden>There is no project yet. <a href="/app">Make one</a>, and its events appear here.</p>
<div id="live" hidden>
<dl class="tiles">
<div><dt>Visitors now</dt><dd id="live-visitors">0</dd></div>
<div><dt>Sessions now</dt><dd id="live-sessions">0</dd></div>
<div><dt>Events per minute</dt><dd id="live-rate">0</dd></div>
</dl>
<p id="live-empty" hidden>Nobody was there in the last minute. Events appear here as they arrive; the
<a href="/app">start page</a> has the snippet that sends them.</p>
<section aria-labelledby="chart-heading">
<h2 id="chart-heading">Events per minute</h2>
<figure>
<svg id="chart" viewBox="0 0 600 120" preserveAspectRatio="none" role="img" aria-labelledby="chart-heading chart-text">
<path id="chart-area"></path><path id="chart-line"></path>
</svg>
<p class="axis" aria-hidden="true"><span>5 minutes ago</span><span>now</span></p>
<figcaption id="chart-text"></figcaption>
</figure>
</section>
<div class="pair">
${table("live-pages", "Pages", ["Page", "Visitors"])}
${table("live-countries", "Countries", ["Country", "Visitors", "Events"])}
</div>
<section aria-labelledby="feed-heading">
<h2 id="feed-heading">Events</h2>
<p id="feed-none" class="none">None yet.</p>
<ol id="feed" class="feed"></ol>
</section>
</div>`,
});
