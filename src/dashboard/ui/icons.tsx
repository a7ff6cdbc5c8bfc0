/** Drawn for this product on a grid of 16, with lines of 1.5. */
const paths: Readonly<Record<string, string>> = {
  overview: "M2 13.5h12M3.5 11V8M6.5 11V4.5M9.5 11V6.5M12.5 11V2.5",
  live:
    "M8 8h.01M5.2 10.8a4 4 0 0 1 0-5.6M10.8 5.2a4 4 0 0 1 0 5.6M3 13A7 7 0 0 1 3 3" +
    "M13 3a7 7 0 0 1 0 10",
  changes: "M2 5.5h10M9.5 3 12 5.5 9.5 8M14 11H4M6.5 8.5 4 11l2.5 2.5",
  explore: "M7 12A5 5 0 1 0 7 2a5 5 0 0 0 0 10ZM14 14l-3.4-3.4M5 7.8l1.5-1.6 1.2 1 1.6-2",
  funnels: "M1.5 3h13l-5 5.5v4.5l-3 1.2V8.5Z",
  retention:
    "M2.5 2.5h3v3h-3ZM6.5 2.5h3v3h-3ZM10.5 2.5h3v3h-3ZM2.5 6.5h3v3h-3ZM6.5 6.5h3v3h-3Z" +
    "M2.5 10.5h3v3h-3Z",
  paths: "M2 4h3.5c3 0 2 8 5 8H14M2 4h12M12 2l2 2-2 2M12 10l2 2-2 2",
  pages: "M4 1.5h5.5L13 5v9.5H4ZM9.5 1.5V5H13M6.5 8.5h4M6.5 11h4",
  sources: "M2 8h8M7 5l3 3-3 3M10 2.5h3.5v11H10",
  project: "M2.5 5.5h11M2.5 5.5v8h11v-8M5.5 5.5v-3h5v3M8 8.5v2",
  move: "M2 5h10M9 2l3 3-3 3M14 11H4M7 8l-3 3 3 3",
  account: "M8 8a3 3 0 1 0 0-6 3 3 0 0 0 0 6ZM2.5 14c0-3 2.5-4.5 5.5-4.5s5.5 1.5 5.5 4.5",
  sessions: "M8 14.5a6.5 6.5 0 1 0 0-13 6.5 6.5 0 0 0 0 13ZM8 4.5V8l2.5 1.5",
  people:
    "M6 7.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5ZM1.5 13.5c0-3 2-4.5 4.5-4.5s4.5 1.5 4.5 4.5" +
    "M10.5 2.8a2.3 2.3 0 0 1 0 4.4M12 9.4c1.6.6 2.5 2 2.5 4.1",
  events: "M9 1.5 3 9h4.5L7 14.5 13 7H8.5Z",
  experiments:
    "M6 1.5h4M7 1.5v4.2L2.8 13a1 1 0 0 0 .9 1.5h8.6a1 1 0 0 0 .9-1.5L9 5.7V1.5M4.8 10h6.4",
  speed: "M2.5 12.5a6.5 6.5 0 1 1 11 0M8 9.5l3-4M8 9.5h.01",
  replays: "M8 14.5a6.5 6.5 0 1 0 0-13 6.5 6.5 0 0 0 0 13ZM6.5 5.5v5L10.5 8Z",
  bots: "M3 6h10v7H3ZM8 6V3.2M8 2.5h.01M5.8 9h.01M10.2 9h.01M6.3 11.2h3.4",
  sites: "M2 2.5h5v5H2ZM9 2.5h5v5H9ZM2 9h5v5H2ZM9 9h5v5H9Z",
  settings:
    "M2 4.5h7M12 4.5h2M2 11.5h2M7 11.5h7M10.5 6a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3Z" +
    "M5.5 13a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3Z",
  code: "M5.5 4 1.5 8l4 4M10.5 4l4 4-4 4",
  filter: "M2 4h12M4.5 8h7M6.5 12h3",
  calendar: "M2 3.5h12v10.5H2ZM2 6.5h12M5 1.5v3M11 1.5v3",
  chevron: "m4 6 4 4 4-4",
  left: "M10 3.5 5.5 8l4.5 4.5",
  right: "M6 3.5 10.5 8 6 12.5",
  lock: "M4 7.5h8v6H4ZM5.5 7.5V5a2.5 2.5 0 0 1 5 0v2.5",
  close: "m3.5 3.5 9 9M12.5 3.5l-9 9",
  edit: "M10.5 2.5l3 3-8 8h-3v-3Z",
  plus: "M8 2.5v11M2.5 8h11",
  menu: "M2 4h12M2 8h12M2 12h12",
  search: "M7 12A5 5 0 1 0 7 2a5 5 0 0 0 0 10ZM14 14l-3.4-3.4",
  table: "M2 3h12v10H2ZM2 6.5h12M2 10h12M6.5 3v10",
  copy: "M5.5 5.5h8v8h-8ZM10.5 5.5v-3h-8v8h3",
  download: "M8 2v8M4.5 7 8 10.5 11.5 7M2.5 13.5h11",
  theme: "M8 14.5a6.5 6.5 0 1 0 0-13ZM8 14.5a6.5 6.5 0 0 1 0-13",
  up: "M8 13V3M4 7l4-4 4 4",
  note: "M3 2v12.5M3 3h9.5l-2 3 2 3H3",
};

export const Icon = ({ name }: { readonly name: string }) => (
  <svg class="icon" viewBox="0 0 16 16" aria-hidden="true">
    <path d={paths[name] ?? ""} />
  </svg>
);

export const Mark = () => (
  <svg class="mark" viewBox="0 0 32 32" aria-hidden="true">
    <path class="mark-eye" d="M2 16C8 6 24 6 30 16C24 26 8 26 2 16Z" />
    <circle class="mark-pupil" cx="16" cy="16" r="5" />
  </svg>
);
