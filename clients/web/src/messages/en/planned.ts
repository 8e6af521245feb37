/** When a page is fetched next, and why then. */
export const planned = {
  checked: (at: string) => `It was checked at ${at}.`,
  changed: (at: string) => `A check found it changed at ${at}.`,
  rate: (rate: string, low: string, high: string) =>
    `It changes ${rate} times a day (${low} to ${high}).`,
  stale: (chance: string) => `With a probability of ${chance} it has changed since.`,
  signalled: (who: string) => `That it changed is said by: ${who}.`,
  signals: { sitemap: "the sitemap", feed: "the feed", push: "a push" } as Record<string, string>,
  noBudget: "No budget keeps it fresh.",
  byFloor: (at: string) => `It is due at ${at}: nothing may wait longer.`,
  byWorth: (at: string) => `It is due at ${at}, once its worth meets the threshold.`,
  worth: (value: string, threshold: string, importance: string) =>
    `A fetch is worth ${value} now, the threshold is ${threshold}, its importance ${importance}.`,
  paidByScope: (scope: string, fetches: string) => `${scope} pays, with ${fetches} fetches a day.`,
  paidByAll: (fetches: string) => `The organisation pays, with ${fetches} fetches a day.`,
  pace: (host: string, seconds: string) => `${host} is asked at most every ${seconds} s.`,
  notBefore: (at: string) => `It is not asked before ${at}.`,
  asksForChanges: "The next fetch asks whether the page changed.",
  asksForPage: "The next fetch asks for the whole page.",
};
