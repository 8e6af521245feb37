import { useEffect, useRef } from "react";
import type { Conversation } from "./conversation.ts";

/** Newest answers of a chat that are looked at again when it is opened; the others on demand. */
const RECHECKED = 10;

/** Looks up, once, what became of the citations of a chat that was asked before. */
export function useRecheck(chat: string | undefined, { turns, isLoading, check }: Conversation) {
  const checked = useRef<string>(undefined);
  useEffect(() => {
    if (!chat || isLoading || checked.current === chat) return;
    checked.current = chat;
    const old = turns.filter((turn) => turn.name && turn.answer?.citations?.length);
    if (old.length > 0) void check(old.slice(-RECHECKED));
  }, [chat, isLoading, turns, check]);
}
