/** Names that reports give countries and the tables of the runtime do not, and names that countries had before. */
const otherNames: Readonly<Record<string, string>> = {
  "hong kong": "HK",
  macao: "MO",
  macau: "MO",
  palestine: "PS",
  turkey: "TR",
  turkiye: "TR",
  "czech republic": "CZ",
  macedonia: "MK",
  "macedonia (fyrom)": "MK",
  swaziland: "SZ",
  "cape verde": "CV",
  "east timor": "TL",
  "ivory coast": "CI",
  burma: "MM",
  myanmar: "MM",
  "congo - kinshasa": "CD",
  "congo - brazzaville": "CG",
  "democratic republic of the congo": "CD",
  "republic of the congo": "CG",
  "united states of america": "US",
  "russian federation": "RU",
  "viet nam": "VN",
};

/** A country's code by its English name; null where no country has that name. */
export const countryNamed = (name: string | null): string | null =>
  name === null ? null : (codesByName().get(plain(name)) ?? null);

let known: ReadonlyMap<string, string> | null = null;
/** The table is made when the first name is looked up: it takes a millisecond that few processes need. */
function codesByName(): ReadonlyMap<string, string> {
  known ??= readCodes();
  return known;
}

function readCodes(): ReadonlyMap<string, string> {
  const names = new Intl.DisplayNames(["en"], { type: "region", fallback: "none" });
  const byName = new Map<string, string>();
  for (const first of letters) {
    for (const second of letters) {
      const code = first + second;
      const name = isCountry(code) ? names.of(code) : undefined;
      if (name !== undefined) byName.set(plain(name), code);
    }
  }
  for (const [name, code] of Object.entries(otherNames)) byName.set(name, code);
  return byName;
}

const letters = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZ"];

/** Groups of countries, codes that were given up, and codes for tests have names too. */
const noCountries: ReadonlySet<string> = new Set([
  ...["AN", "BU", "CS", "DD", "EU", "EZ", "FX", "NT", "QO", "SU", "TP", "UN", "UK", "XA", "XB"],
  ...["YD", "YU", "ZR", "ZZ", "DY", "HV", "NH", "RH", "VD"],
]);
const isCountry = (code: string): boolean => !noCountries.has(code);

/** A name in one spelling: without accents, case and the differences of `&` and `’`. */
const plain = (name: string): string =>
  name
    .normalize("NFD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replaceAll("&", "and")
    .replaceAll("’", "'")
    .replace(/\bst\. /g, "saint ")
    .trim();
