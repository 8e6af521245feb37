import {
  type Answer,
  type Api,
  type Chat,
  type ChatTurn,
  idOf,
  type Passage,
  Problem,
  type ResolvedCitation,
  read,
  type Statement,
} from "@scops/api";
import { type QueryClient, useQuery, useQueryClient } from "@tanstack/react-query";
import { useCallback, useMemo } from "react";
import { useSession } from "../session/session.tsx";
import { historyOf } from "./citations.ts";
import { resolve } from "./resolving.ts";
import { answerParts } from "./streaming.ts";

/** What the tab keeps where the gateway keeps no chat of the caller. */
const TAB = "tab";
const TURNS_READ = 25;

export interface Asked {
  query: string;
  scopes: string[];
  /** The instant that is asked for; empty for now. */
  asOf: string;
}

export interface AskedTurn extends Asked {
  id: string;
  /** `chats/{chat}/turns/{turn}`, where it is kept. */
  name?: string;
  askedAt: string;
  /** What was found, and what is said so far, while the answer is under way. */
  sources?: Passage[];
  said?: Statement[];
  answer?: Answer;
  problem?: Problem;
  /** Statements of pages that the reader may not see now, or that were purged. */
  withheld?: number;
  /** What became of citations, by their number, once they were looked up again. */
  resolved?: Record<number, ResolvedCitation>;
}

export interface Conversation {
  turns: AskedTurn[];
  isLoading: boolean;
  problem: Problem | null;
  /** Asks, and returns the chat that keeps the answer; nothing where the tab alone does. */
  ask: (asked: Asked) => Promise<string | undefined>;
  again: (turn: AskedTurn) => void;
  /** Looks the citations of answers up again. */
  check: (turns: AskedTurn[]) => Promise<void>;
}

/** What was asked and answered in a chat, or in this tab. */
export function useConversation(chat: string | undefined, share = ""): Conversation {
  const { api } = useSession();
  const queries = useQueryClient();
  const found = useQuery<AskedTurn[], Problem>({
    queryKey: keyOf(chat),
    queryFn: ({ signal }) => (chat ? readTurns(api, chat, share, signal) : []),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: Number.POSITIVE_INFINITY,
    // Turns are replaced as a whole: those that stay the same need not be compared.
    structuralSharing: false,
  });
  const ask = useCallback(
    async (asked: Asked) => {
      const name = chat ?? (await beginChat(api, queries));
      void askIn(api, queries, name, asked);
      return name;
    },
    [api, queries, chat],
  );
  const again = useCallback(
    (turn: AskedTurn) => {
      setTurns(queries, chat, (all) => all.filter((one) => one.id !== turn.id));
      const { query, scopes, asOf } = turn;
      void askIn(api, queries, chat, { query, scopes, asOf });
    },
    [api, queries, chat],
  );
  const check = useCallback(
    async (asked: AskedTurn[]) => {
      const found = new Map<string, Partial<AskedTurn>>();
      const problem = await outcome(async () => {
        for (const [id, resolved] of await resolve(api, asked)) found.set(id, { resolved });
        return {};
      });
      const ids = new Set(asked.map((turn) => turn.id));
      setTurns(queries, chat, (all) =>
        all.map((turn) =>
          ids.has(turn.id) ? { ...turn, ...problem, ...found.get(turn.id) } : turn,
        ),
      );
    },
    [api, queries, chat],
  );
  return useMemo<Conversation>(
    () => ({
      turns: found.data ?? [],
      isLoading: found.isPending,
      problem: found.error,
      ask,
      again,
      check,
    }),
    [found.data, found.isPending, found.error, ask, again, check],
  );
}

/** Returns a turn by its name, with its evidence bundle; or one of this tab. */
export function useTurn(id: string | null) {
  const { api } = useSession();
  const queries = useQueryClient();
  return useQuery<AskedTurn | null, Problem>({
    queryKey: ["turn", id],
    enabled: id !== null,
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async ({ signal }) => {
      const [, chat = "", turn] = /^chats\/([^/]+)\/turns\/([^/]+)$/.exec(id ?? "") ?? [];
      if (!turn) {
        const kept = queries.getQueryData<AskedTurn[]>(keyOf(undefined)) ?? [];
        return kept.find((one) => one.id === id) ?? null;
      }
      const share = location.hash.slice(1);
      const params = { path: { chat, turn }, query: share ? { share } : {} };
      const told = await read(api.GET("/v1/chats/{chat}/turns/{turn}", { params, signal }));
      return told.turn ? turnOf(told.turn) : null;
    },
  });
}

function keyOf(chat: string | undefined) {
  return ["turns", chat ?? TAB];
}

async function beginChat(api: Api, queries: QueryClient): Promise<string | undefined> {
  try {
    const told = await read(api.POST("/v1/chats", { body: {} }));
    const chat: Chat | undefined = told.chat;
    if (chat) queries.setQueryData(keyOf(chat.name), []);
    return chat?.name;
  } catch (error) {
    // A key for some scopes keeps no chats; what goes wrong otherwise the question will tell.
    if (error instanceof Problem) return undefined;
    throw error;
  }
}

async function askIn(
  api: Api,
  queries: QueryClient,
  chat: string | undefined,
  asked: Asked,
): Promise<void> {
  const { query, scopes, asOf } = asked;
  const before = queries.getQueryData<AskedTurn[]>(keyOf(chat)) ?? [];
  const turn: AskedTurn = {
    ...asked,
    id: crypto.randomUUID(),
    askedAt: new Date().toISOString(),
  };
  setTurns(queries, chat, (all) => [...all, turn]);
  const question = {
    query,
    scopes,
    ...(asOf ? { asOfTime: asOf } : {}),
    // A chat knows what was said in it.
    ...(chat ? { chat } : { history: historyOf(before) }),
  };
  const fields = await outcome(async () => {
    const said: Statement[] = [];
    let answer: Answer | undefined;
    for await (const part of answerParts(api, question)) {
      if (part.sources) change(queries, chat, turn.id, { sources: part.sources.passages ?? [] });
      if (part.statement?.statement) {
        said.push(part.statement.statement);
        change(queries, chat, turn.id, { said: [...said] });
      }
      if (part.answer) answer = part.answer;
    }
    return answer ? { answer, ...(answer.turn ? { name: answer.turn } : {}) } : {};
  });
  change(queries, chat, turn.id, fields);
  await queries.invalidateQueries({ queryKey: ["chats"] });
  await queries.invalidateQueries({ queryKey: ["chat", chat] });
}

function setTurns(
  queries: QueryClient,
  chat: string | undefined,
  update: (turns: AskedTurn[]) => AskedTurn[],
): void {
  queries.setQueryData<AskedTurn[]>(keyOf(chat), (all) => update(all ?? []));
}

function change(
  queries: QueryClient,
  chat: string | undefined,
  id: string,
  fields: Partial<AskedTurn>,
): void {
  setTurns(queries, chat, (all) =>
    all.map((turn) => (turn.id === id ? { ...turn, ...fields } : turn)),
  );
}

async function readTurns(
  api: Api,
  chat: string,
  share: string,
  signal: AbortSignal,
): Promise<AskedTurn[]> {
  const turns: AskedTurn[] = [];
  let pageToken = "";
  do {
    const query = {
      pageSize: TURNS_READ,
      ...(share ? { share } : {}),
      ...(pageToken ? { pageToken } : {}),
    };
    const params = { path: { chat: idOf(chat) }, query };
    const told = await read(api.GET("/v1/chats/{chat}/turns", { params, signal }));
    turns.push(...(told.turns ?? []).map(turnOf));
    pageToken = told.nextPageToken ?? "";
  } while (pageToken);
  return turns;
}

function turnOf(kept: ChatTurn): AskedTurn {
  return {
    id: (kept.name ?? "").replaceAll("/", "-"),
    name: kept.name ?? "",
    query: kept.query ?? "",
    scopes: kept.scopes ?? [],
    asOf: kept.asOfTime ?? "",
    askedAt: kept.askTime ?? "",
    answer: kept.answer ?? {},
    withheld: kept.withheldStatements ?? 0,
  };
}

async function outcome(work: () => Promise<Partial<AskedTurn>>): Promise<Partial<AskedTurn>> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Problem) return { problem: error };
    throw error;
  }
}
