import { dayMs, hourMs } from "../../lib/clock";
import type { ProjectContext } from "../project-context";

/** The goals of the demo: an event, orders with money that count once, and a page. */
export const demoGoals = [
  { name: "Sign-up", event: "signup" },
  {
    ...{ name: "Order", event: "purchase", oncePer: "order_id" },
    value: { property: "amount", currency: "EUR" },
  },
  { name: "Prices seen", page: "/pricing" },
];

/** The meaning of the demo's numbers on a date. */
export const demoContext = (today: number): ProjectContext => ({
  goals: [
    "More visitors of the pricing page sign up",
    "Find where people who begin to sign up give up",
  ],
  activation_events: ["signup_started", "signup"],
  glossary: [
    {
      event_name: "signup_started",
      term: "Sign-up begun",
      definition: "The visitor has filled in the first field of the sign-up form.",
    },
    {
      event_name: "signup",
      term: "Sign-up",
      definition: "The account exists and its address is confirmed. What all pages are for.",
    },
    {
      event_name: "purchase",
      term: "Order",
      definition: "The visitor has paid. A page that is loaded again sends the same order_id.",
    },
  ],
  annotations: [
    {
      id: "ann_demo000000000001",
      occurred_at: new Date((today - 30) * dayMs + 9 * hourMs).toISOString(),
      title: "Pricing page: two plans in place of four",
    },
    {
      id: "ann_demo000000000002",
      occurred_at: new Date((today - 6) * dayMs + 14 * hourMs).toISOString(),
      title: "Article about late payments in a newsletter",
      note: "Visitors of the blog for some days.",
    },
  ],
});
