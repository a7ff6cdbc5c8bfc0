/** A style sheet comes into the bundle as text. */
declare module "*.css" {
  const text: string;
  export = text;
}
