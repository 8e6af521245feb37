import type { PassageExplanation } from "@scops/api";
import { isEnglish, remarksOf } from "./told.ts";
import type { Words } from "./words.ts";

interface WhyProps {
  explained: PassageExplanation;
  words: Words;
}

/** What sets a passage apart and would move it, in the reader's language. */
export function Why({ explained, words }: WhyProps) {
  const [first, ...others] = explained.reasons ?? [];
  if (!first) {
    return isEnglish(words) ? <p className="rationale">{explained.rationale}</p> : null;
  }
  const apart = remarksOf([first], explained.rationale ?? "", words);
  const moves = remarksOf(others, "", words);
  return (
    <div className="stack-small rationale">
      <p lang={apart.lang}>
        <strong>{apart.text}</strong>
      </p>
      {moves.text ? <p lang={moves.lang}>{moves.text}</p> : null}
    </div>
  );
}
