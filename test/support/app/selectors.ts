/** What Chromium takes as selectors of elements, and so does the API. */
export const goodSelectors = [
  ...[
    "p",
    "*",
    ".card",
    "#total",
    "p.card#total",
    "main > p + p ~ a b",
    " p , .card ",
    "*.card",
    ".ä",
  ],
  ...["[name]", "[name=a]", "[ name = 'a b' i ]", '[name="]"]', "[lang|=en]", "[data-x~=a i]"],
  ...["p:not(.card, #total)", "p:not( .card )", ":has(> img, + p)", ":is(p, .card) b", ":root"],
  ...[":nth-child(2n+1 of .card)", ":nth-child( odd )", ":NTH-CHILD(2n - 1)", ":nth-of-type(-n+3)"],
  ...[":lang(en)", ":dir(rtl)", "a:hover", "input:checked", "x-card", "--own", ".\\31 a", ".a\\:b"],
];

/** What a browser refuses, finds no element by, or takes for something else once it stands in a list. */
export const badSelectors = [
  ...[
    "",
    " ",
    "((broken",
    ".card >",
    "> p",
    "p,,b",
    "p,",
    ".1a",
    "#1a",
    "&",
    "\\",
    "p\\",
    "ns|p",
    "-->p",
    "p $ b",
  ],
  ...[".card::before", ":visible", "p:contains('x')", ":eq(0)", ":-webkit-any(p)", ":nth-child(x)"],
  ...[
    "[name",
    "[name=a",
    '[name="a',
    ":not(.card",
    ":is(.card",
    ":is()",
    ":not(:visible)",
    "p)",
    "p{}",
  ],
  ...[
    ":has(:has(p))",
    ":is(p, :has(:not(:has(p))))",
    ":scope p",
    ":lin\u212a",
    ":is(p, :lin\u212a)",
  ],
];
