import { cut } from "./spans.ts";

interface SaidProps {
  text?: string;
  /** In code points, as the API counts. */
  highlight?: { start?: number; end?: number };
}

/** What a statement says, its short answer marked. */
export function Said({ text = "", highlight }: SaidProps) {
  const found = highlight && cut(text, highlight.start ?? 0, highlight.end ?? 0);
  if (!found) return text;
  return (
    <>
      {found.before}
      <mark>{found.quote}</mark>
      {found.after}
    </>
  );
}
