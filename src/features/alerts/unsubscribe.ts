import type { Deps } from "../../http/deps";
import { readBody } from "../../http/operation/checks";
import { free } from "../../http/operation/facts";
import { nothing } from "../../http/operation/input";
import { operation } from "../../http/operation/operation";
import { htmlType, pageDocument, pageHeaders } from "../../http/pages/html";

const tag = "Alerts";
const formCharsMax = 4_096;

/**
 * A link in each message ends these messages without a log-in (RFC 8058). Programs that look at links before a person
 * does end nothing, as it takes a POST.
 */
export const unsubscribeRoutes = (deps: Deps) => [pageRoute(), doRoute(deps)];

const pageRoute = () =>
  operation(
    "GET /unsubscribe/{token}",
    {
      access: free("none"),
      isPage: true,
      doc: {
        id: "viewUnsubscribe",
        summary: "Page with the button that ends messages",
        description:
          "The link in a message leads here. The page itself changes nothing: its button sends the POST.",
        tag,
      },
      takes: nothing,
      returns: {},
    },
    {
      answer: async (context) => {
        await readBody(context);
        return page(
          "End these messages",
          '<form method="post"><button>End these messages</button></form>',
        );
      },
    },
  );

const doRoute = (deps: Deps) =>
  operation(
    "POST /unsubscribe/{token}",
    {
      access: free("none"),
      isPage: true,
      doc: {
        id: "unsubscribe",
        summary: "End messages",
        description:
          "Ends the messages of one subscription, without a log-in (RFC 8058). The answer is the same for a token " +
          "that is unknown or was used before.",
        tag,
        errors: ["UNAVAILABLE"],
      },
      takes: nothing,
      returns: {},
    },
    {
      answer: async (context) => {
        await readBody(context, formCharsMax);
        deps.control.alerts.unsubscribe(context.params.token ?? "");
        return page("You get these messages no longer", "<p>You can close this page.</p>");
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
