import type { Citation } from "@scops/api";

const DIRECTIVE = ":~:";

/** Returns what an address of a PDF ends with, so that a viewer opens it at a quote and marks it. */
export function viewOf({ pageNumber, fragmentUri }: Citation): string {
  const [, directive] = (fragmentUri ?? "").split(DIRECTIVE);
  return `#page=${pageNumber}&navpanes=0&view=FitH${directive ? `${DIRECTIVE}${directive}` : ""}`;
}
