import type { Region } from "./page";

/** The region that begins with an element; null for an element that begins none. */
export function regionOf(element: HTMLRewriterTypes.Element): Region | null {
  const role = element.getAttribute("role")?.toLowerCase();
  switch (element.tagName) {
    case "nav":
      return "nav";
    case "footer":
      return "footer";
    case "main":
      return "main";
    case "dialog":
      return "dialog";
    default:
      if (role === "navigation") return "nav";
      if (role === "contentinfo") return "footer";
      if (role === "dialog" || role === "alertdialog") return "dialog";
      return bannerForm.test(element.getAttribute("class") ?? "") ? "dialog" : null;
  }
}

/** Banners that ask for consent stand before everything else, and are no part of what a site wants of its visitors. */
const bannerForm =
  /\b(cookie|consent|gdpr)[\s_-]?(banner|bar|consent|dialog|law|modal|notice|popup)/i;
