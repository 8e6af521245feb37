import { counted, number, pagesOf } from "./counting.ts";

/** A question for which pages are fetched, and what is looked at for it. */
export const research = {
  title: "Looking further",
  what: "The pages whose links promise an answer are fetched until they suffice: 25 at most, within two minutes.",
  inScope: (scope: string) => `Fetch pages of @${scope}`,
  address: "Or from a page on",
  from: "Look from there",
  began: "began",
  goesOn: (pages: number, share: string) => `${pagesOf(pages)} fetched, ${share} covered.`,
  cancel: "Stop looking",
  cancelQuestion: "What was fetched stays. Stop?",
  looked: "What was looked at",
  look: (place: number) => `Look ${place}:`,
  covered: (share: string) => `${share} covered`,
  weighed: (links: number, chosen: number) =>
    `${counted(links, "link", "links")} weighed, ${number(chosen)} followed`,
  missing: "Missing:",
  start: "Start",
  cited: "cited",
  outcomes: {
    "": "being fetched",
    known: "known",
    late: "not there yet",
    searched: "searched",
  } as Record<string, string>,
  stopped: {
    covered: "It stopped because what it found suffices.",
    low_gain: "It stopped because the last pages brought nothing more.",
    cost: "It stopped because no link left is expected to be worth its fetch.",
    pages: "It stopped because its pages are used up.",
    bytes: "It stopped because its bytes are used up.",
    seconds: "It stopped because its time is used up.",
    nothing_left: "It stopped because there is no link left that it may follow.",
    cancelled: "It was stopped.",
    failed: "It failed.",
  } as Record<string, string>,
  fetched: (pages: number) => `${pagesOf(pages)} fetched.`,
  noAnswer: "There is no answer to show.",
  report: "Report",
  saveReport: "Save the report",
  chat: "Open as a chat",
};
