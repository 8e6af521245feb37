import type { Citation } from "@scops/api";
import { browser } from "@wxt-dev/browser";
import { pageOf } from "../page/address.ts";
import { type CurrentTab, markPage, mayRead } from "../page/tab.ts";

export type QuoteShown = "marked" | "absent" | "ambiguous" | "opened";

/** Says whether a citation is of the page that one is on. */
export function isOf(tab: CurrentTab | undefined, citation: Citation): boolean {
  return Boolean(tab?.url) && pageOf(citation.uri ?? "") === tab?.url;
}

/** Shows a quote where it stands: on the page that one is on, else on its page, newly opened. */
export async function showQuote(tab: CurrentTab, citation: Citation): Promise<QuoteShown> {
  if (isOf(tab, citation) && (await mayRead(tab))) {
    const [state] = (await markPage(tab, "quote", [wantedOf(citation)])) ?? [];
    if (state) return state === "found" ? "marked" : state;
  }
  // The browser looks for the text itself, and marks it where it stands.
  const url = citation.fragmentUri || citation.uri || "";
  if (/^https?:\/\//.test(url)) await browser.tabs.create({ url });
  return "opened";
}

/** Marks all quotes of an answer that are of the page that one is on; returns how many stand. */
export async function markQuotes(tab: CurrentTab, citations: Citation[]): Promise<number> {
  const own = citations.filter((citation) => isOf(tab, citation)).map(wantedOf);
  if (own.length === 0 || !(await mayRead(tab))) return 0;
  const states = (await markPage(tab, "quote", own)) ?? [];
  return states.filter((state) => state === "found").length;
}

function wantedOf({ quote = "", prefix = "", suffix = "" }: Citation) {
  return { text: quote, before: prefix, after: suffix };
}
