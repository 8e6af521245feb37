import { type Answer, type Api, Problem, type ResolvedCitation, read } from "@scops/api";
import { createContext, type ReactNode, useCallback, useContext, useMemo, useState } from "react";
import { useSession } from "../session/session.tsx";
import { historyOf } from "./citations.ts";

export interface Asked {
  query: string;
  scopes: string[];
  /** The instant that is asked for; empty for now. */
  asOf: string;
}

export interface AskedTurn extends Asked {
  id: string;
  askedAt: string;
  answer?: Answer;
  problem?: Problem;
  /** What became of citations, by their number, once they were looked up again. */
  resolved?: Record<number, ResolvedCitation>;
}

interface Conversation {
  turns: AskedTurn[];
  ask: (asked: Asked) => Promise<void>;
  check: (turn: AskedTurn) => Promise<void>;
  forget: () => void;
}

const ConversationContext = createContext<Conversation | undefined>(undefined);

/** What was asked and answered in this tab. */
export function ConversationProvider({ children }: { children: ReactNode }) {
  const { api } = useSession();
  const [turns, setTurns] = useState<AskedTurn[]>([]);
  const change = useCallback((id: string, fields: Partial<AskedTurn>) => {
    setTurns((all) => all.map((turn) => (turn.id === id ? { ...turn, ...fields } : turn)));
  }, []);
  const conversation = useMemo<Conversation>(
    () => ({
      turns,
      ask: async (asked) => {
        const turn = { ...asked, id: crypto.randomUUID(), askedAt: new Date().toISOString() };
        setTurns((all) => [...all, turn]);
        change(turn.id, await outcome(async () => ({ answer: await answer(api, asked, turns) })));
      },
      check: async (turn) => {
        change(turn.id, await outcome(async () => ({ resolved: await resolve(api, turn) })));
      },
      forget: () => setTurns([]),
    }),
    [api, turns, change],
  );
  return <ConversationContext value={conversation}>{children}</ConversationContext>;
}

export function useConversation(): Conversation {
  const conversation = useContext(ConversationContext);
  if (!conversation) throw new Error("ConversationProvider is missing");
  return conversation;
}

async function answer(api: Api, asked: Asked, turns: AskedTurn[]): Promise<Answer> {
  const { query, scopes, asOf } = asked;
  const time = asOf ? { asOfTime: asOf } : {};
  const body = { query, scopes, history: historyOf(turns), ...time };
  return read(api.POST("/v1/answer", { body }));
}

async function resolve(api: Api, turn: AskedTurn): Promise<Record<number, ResolvedCitation>> {
  const citations = turn.answer?.citations ?? [];
  if (citations.length === 0) return {};
  const told = await read(api.POST("/v1/citations:resolve", { body: { citations } }));
  return Object.fromEntries((told.citations ?? []).map((one) => [one.number ?? 0, one]));
}

async function outcome(work: () => Promise<Partial<AskedTurn>>): Promise<Partial<AskedTurn>> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Problem) return { problem: error };
    throw error;
  }
}
