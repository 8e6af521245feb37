import { ProblemNotice as NoticeInWords } from "@scops/ui";
import type { ReactNode } from "react";
import { say } from "./index.ts";

/** What went wrong, in the language of the page. */
export function ProblemNotice(props: { problem: Error; action?: ReactNode }) {
  return <NoticeInWords {...props} words={say} />;
}
