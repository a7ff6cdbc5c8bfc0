import type { Deps } from "../../http/deps";
import type { Feature } from "../../http/feature";
import { readBody } from "../../http/operation/checks";
import { free, type OperationName } from "../../http/operation/facts";
import { nothing } from "../../http/operation/input";
import { type Operation, operation } from "../../http/operation/operation";
import type { OperationDoc } from "../../http/operation/operation-doc";
import { htmlType, pageDocument, pageHeaders } from "../../http/pages/html";

const tag = "Reports";
const formCharsMax = 4_096;

/**
 * Links in messages end them (RFC 8058), or begin those to somebody who has no log-in here. Programs that look at links
 * before a person does change nothing, as both take a POST.
 */
export const subscriptionsFeature = ({ control }: Deps): Feature => ({
  operations: [
    pageRoute("GET /unsubscribe/{token}", "End these messages", {
      id: "viewUnsubscribe",
      summary: "Page with the button that ends messages",
      description:
        "The link in a message leads here. The page itself changes nothing: its button sends the POST.",
    }),
    doRoute(
      "POST /unsubscribe/{token}",
      {
        id: "unsubscribe",
        summary: "End messages",
        description:
          "Ends the messages of one subscription, without a log-in (RFC 8058). The answer is the same for a token " +
          "that is unknown or was used before.",
      },
      (token) => {
        control.subscriptions.unsubscribe(token);
        return page("You get these messages no longer", closing);
      },
    ),
    pageRoute("GET /confirm/{token}", "Get these messages", {
      id: "viewConfirm",
      summary: "Page with the button that confirms a subscription",
      description: "The link in a `confirm` mail leads here. The page itself changes nothing.",
    }),
    doRoute(
      "POST /confirm/{token}",
      {
        id: "confirmSubscription",
        summary: "Confirm a subscription",
        description:
          "Begins the messages of one report or alert to an address outside the account, without a log-in. The link " +
          "is good for 7 days.",
      },
      (token) =>
        control.subscriptions.confirm(token)
          ? page("You get these messages from now on", closing)
          : page("This link is no longer good", "<p>Ask for another one where you got it.</p>"),
    ),
  ],
});

const closing = "<p>You can close this page.</p>";
type Doc = Pick<OperationDoc, "id" | "summary" | "description">;

const pageRoute = (name: OperationName, title: string, doc: Doc): Operation =>
  operation(
    name,
    { access: free("none"), isPage: true, doc: { ...doc, tag }, takes: nothing, returns: {} },
    {
      answer: async (context) => {
        await readBody(context);
        return page(title, `<form method="post"><button>${title}</button></form>`);
      },
    },
  );

const doRoute = (name: OperationName, doc: Doc, work: (token: string) => Response): Operation =>
  operation(
    name,
    {
      ...{ access: free("none"), isPage: true, takes: nothing, returns: {} },
      doc: { ...doc, tag, errors: ["UNAVAILABLE"] },
    },
    {
      answer: async (context) => {
        await readBody(context, formCharsMax);
        return work(context.params.token ?? "");
      },
    },
  );

const page = (title: string, content: string): Response =>
  new Response(
    pageDocument({
      ...{ name: "share", title },
      body: `<main class="narrow">\n<h1>${title}</h1>\n${content}\n</main>`,
    }),
    {
      status: 200,
      headers: { ...pageHeaders, "content-type": htmlType, "x-robots-tag": "noindex" },
    },
  );
