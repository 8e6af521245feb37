import { pagesOf } from "./counting.ts";

/** What can be done where no answer is found, and how old what was found is. */
export const further = {
  title: "Look further",
  widen: "Ask all scopes",
  crawl: (scope: string) => `Crawl @${scope} again`,
  add: "Add a site",
  what: "A crawl brings pages that came since; another site is shown with what it costs first.",
  check: "Check the page now",
  checking: "It is fetched and read.",
  checked: {
    unchanged: "The page says what it said.",
    indexed: "The page says something else; what became of the quote is shown.",
    open: "The page has not come yet; its job goes on.",
  } as Record<string, string>,
  pageNumber: (page: number) => `page ${page}`,
  readByOcr: "read by OCR",
  noPdf: "The PDF is not kept; its text is below.",
  openPdf: "Open the PDF",
  holds: (pages: number, isMore: boolean) => `${isMore ? "more than " : ""}${pagesOf(pages)}`,
  crawled: "crawled",
  notCrawled: "not crawled yet",
};
