import { Notice } from "@scops/ui";
import { MessagesSquare } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { useLocation, useSearchParams } from "wouter";
import { say } from "../messages/index.ts";
import { ProblemNotice } from "../messages/ProblemNotice.tsx";
import { useScopes } from "../scopes/useScopes.ts";
import { useCaller } from "../session/session.tsx";
import { ChatList } from "./ChatList.tsx";
import { ChatMenu } from "./ChatMenu.tsx";
import { Composer } from "./Composer.tsx";
import { type Asked, type AskedTurn, useConversation } from "./conversation.ts";
import { Evidence } from "./Evidence.tsx";
import { Turns } from "./Turns.tsx";
import { useAnswerKeys } from "./useAnswerKeys.ts";
import { useChat } from "./useChats.ts";
import { useRecheck } from "./useRecheck.ts";

export interface Opened {
  turn: string;
  number: number;
}

/** Questions and answers of a chat, with the caller's chats and the evidence beside them. */
export function AskPlace({ chat }: { chat?: string }) {
  const share = location.hash.slice(1);
  const conversation = useConversation(chat, share);
  const { turns, check } = conversation;
  const about = useChat(chat, share).data;
  const caller = useCaller().data?.principal;
  const isOwn = !chat || !about || about.owner === caller;
  const [search, setSearch] = useSearchParams();
  const [, go] = useLocation();
  const scopes = useScopes();
  const [picked, setPicked] = useState<string[]>();
  const chosen = picked ?? wanted(search.get("scope"), turns);
  const [opened, setOpened] = useState<Opened>();
  const question = useRef<HTMLTextAreaElement>(null);
  const drawer = useRef<HTMLDialogElement>(null);
  const began = useRef(false);
  const turn = turns.find((one) => one.id === opened?.turn);
  const last = turns.at(-1);
  useRecheck(chat, conversation);
  useAnswerKeys({ turn, last, opened, onOpen: setOpened, share, check, question });

  const ask = async (asked: Asked) => {
    const name = await conversation.ask(asked);
    // The address is that of the chat from its first question on.
    if (!chat && name) go(`/${name}`, { replace: true });
  };
  const given = search.get("q");
  // biome-ignore lint/correctness/useExhaustiveDependencies: a question in the address is asked once.
  useEffect(() => {
    if (!given || began.current) return;
    began.current = true;
    // It leaves the address, so that going back asks nothing.
    setSearch({}, { replace: true });
    void ask({ query: given, scopes: wanted(search.get("scope"), []), asOf: "" });
  }, [given]);

  const title = about?.title || turns[0]?.query;
  return (
    <div className="ask" data-alone={turn ? undefined : true}>
      <aside className="chats" aria-label={say.chats.title}>
        <ChatList open={chat} />
      </aside>
      <dialog className="drawer" ref={drawer} aria-label={say.chats.title}>
        <ChatList open={chat} onOpen={() => drawer.current?.close()} />
        <form method="dialog">
          <button type="submit" className="button">
            {say.close}
          </button>
        </form>
      </dialog>
      <section className="talk" aria-labelledby="talk-title">
        <div className="talk-head">
          <button
            type="button"
            className="button chats-button"
            data-size="small"
            onClick={() => drawer.current?.showModal()}
          >
            <MessagesSquare className="icon icon-small" aria-hidden="true" />
            {say.chats.title}
          </button>
          <h1 id="talk-title" dir="auto">
            {title || say.asking.title}
          </h1>
          {about ? <ChatMenu chat={about} turns={turns} isOwn={isOwn} /> : null}
        </div>
        <div className="talk-body">
          {isOwn ? null : <Notice>{say.chats.of(about?.owner ?? "")}</Notice>}
          {conversation.problem ? <ProblemNotice problem={conversation.problem} /> : null}
          {chat && conversation.isLoading ? <p className="quiet">{say.chats.loading}</p> : null}
          {turns.length === 0 && !chat ? <p className="quiet">{say.asking.empty}</p> : null}
          <Turns
            turns={turns}
            share={share}
            opened={opened}
            onOpen={setOpened}
            onAgain={conversation.again}
            onWiden={isOwn ? conversation.ask : undefined}
            onCheck={conversation.check}
          />
        </div>
        <p className="hidden" role="status">
          {said(last)}
        </p>
        {isOwn ? (
          <Composer
            question={question}
            scopes={scopes.data ?? []}
            chosen={chosen}
            onChoose={setPicked}
            isBusy={last !== undefined && !last.answer && !last.problem}
            onAsk={ask}
          />
        ) : (
          <p className="composer small quiet">{say.chats.readOnly}</p>
        )}
      </section>
      {turn && opened ? (
        <Evidence
          turn={turn}
          number={opened.number}
          onOpen={setOpened}
          onCheck={() => check([turn])}
        />
      ) : null}
    </div>
  );
}

function wanted(scope: string | null, turns: AskedTurn[]): string[] {
  if (scope) return [`scopes/${scope}`];
  return turns.at(-1)?.scopes ?? ["*"];
}

/** What readers of the screen are told, once, of the last answer. */
function said(turn: AskedTurn | undefined): string {
  if (!turn) return "";
  if (turn.problem) return turn.problem.message;
  if (!turn.answer) return say.asking.searching;
  if (!turn.answer.answered) return `${say.asking.notAnswered}. ${say.asking.notAnsweredWhy}`;
  return say.asking.done(turn.answer.citations?.length ?? 0);
}
