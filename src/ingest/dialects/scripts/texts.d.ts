/** A script for pages, as its text: the server never runs it. */
declare module "*/plausible.js" {
  const text: string;
  export = text;
}
declare module "*/umami.js" {
  const text: string;
  export = text;
}
declare module "*/goatcounter.js" {
  const text: string;
  export = text;
}
