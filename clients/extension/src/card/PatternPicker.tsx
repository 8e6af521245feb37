import { useEffect, useState } from "react";
import { say } from "../messages/index.ts";
import { useAsked } from "../server/asked.ts";
import { usePanel } from "../server/panel.tsx";
import { countOf } from "./adding.ts";
import { linksWithin, ruleOf } from "./pattern.ts";

const PAUSE_MS = 200;

interface PatternPickerProps {
  pieces: string[];
  length: number;
  /** Of the page that one is on; nothing until they were read. */
  links: string[] | undefined;
  onCut: (length: number) => void;
}

/** An address to be cut where a pattern should end, with what it would hold. */
export function PatternPicker({ pieces, length, links, onCut }: PatternPickerProps) {
  const { api } = usePanel();
  const [asked, setAsked] = useState(0);
  useEffect(() => {
    const timer = setTimeout(() => setAsked(length), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [length]);
  const rule = ruleOf(pieces, asked);
  const { data, problem } = useAsked(asked > 0 ? (rule.pattern ?? "") : "", (signal) =>
    countOf(api, rule, signal),
  );
  const known = data?.matchedCount ?? 0;
  const counts = links
    ? say.add.counts(linksWithin(links, pieces, length).length, known)
    : say.add.known(known, data?.truncated ?? false);
  return (
    <div className="field">
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset would be one in another. */}
      <div className="pattern" role="group" aria-label={say.add.pattern}>
        {pieces.map((piece, at) => (
          <button
            type="button"
            // Pieces of one address may say the same.
            key={`${pieces.slice(0, at).join("")}${piece}`}
            aria-pressed={at < length}
            onClick={() => onCut(at + 1)}
          >
            {piece}
          </button>
        ))}
      </div>
      <span className="address">{ruleOf(pieces, length).pattern}</span>
      <span className="field-hint" role="status">
        {problem?.message ?? (data ? counts : say.add.counting)}
      </span>
    </div>
  );
}
