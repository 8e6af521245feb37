import { type RefObject, useEffect } from "react";
import { useLocation } from "wouter";
import { isTyping } from "../keys.ts";
import type { Opened } from "./AskPlace.tsx";
import { neighbour } from "./citations.ts";
import type { AskedTurn, Conversation } from "./conversation.ts";
import { explainAt } from "./ExplainLink.tsx";

interface AnswerKeys {
  /** The turn whose evidence is open; without one keys are about the last. */
  turn: AskedTurn | undefined;
  last: AskedTurn | undefined;
  opened: Opened | undefined;
  onOpen: (opened: Opened | undefined) => void;
  share: string;
  check: Conversation["check"];
  /** Where a question is written; nothing where none is. */
  question?: RefObject<HTMLTextAreaElement | null>;
}

/** Keys of a place that shows answers. */
export function useAnswerKeys(keys: AnswerKeys): void {
  const { turn, last, opened, onOpen, share, check, question } = keys;
  const [, go] = useLocation();
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.key === "Escape") onOpen(undefined);
      if (isTyping(event)) return;
      const at = turn ?? last;
      if (event.key === "/" && question) {
        event.preventDefault();
        question.current?.focus();
      } else if ((event.key === "j" || event.key === "k") && at?.answer?.citations?.length) {
        const step = event.key === "j" ? 1 : -1;
        const number = opened ? neighbour(at.answer, opened.number, step) : 1;
        onOpen({ turn: at.id, number });
      } else if (event.key === "e" && at?.answer) {
        go(explainAt(at, share));
      } else if (event.key === "c" && at?.answer) {
        void check([at]);
      }
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, [turn, last, opened, onOpen, go, share, check, question]);
}
