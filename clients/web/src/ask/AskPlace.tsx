import { useEffect, useRef, useState } from "react";
import { useLocation, useSearchParams } from "wouter";
import { say } from "../messages/index.ts";
import { useScopes } from "../scopes/useScopes.ts";
import { isTyping } from "../Top.tsx";
import { Composer } from "./Composer.tsx";
import { neighbour } from "./citations.ts";
import { type AskedTurn, useConversation } from "./conversation.tsx";
import { Evidence } from "./Evidence.tsx";
import { TurnView } from "./TurnView.tsx";

export interface Opened {
  turn: string;
  number: number;
}

/** Questions and answers, with the evidence beside them. */
export function AskPlace() {
  const { turns, ask, forget } = useConversation();
  const [search, setSearch] = useSearchParams();
  const [, go] = useLocation();
  const scopes = useScopes();
  const [chosen, setChosen] = useState<string[]>(() => wanted(search.get("scope"), turns));
  const [opened, setOpened] = useState<Opened>();
  const question = useRef<HTMLTextAreaElement>(null);
  const began = useRef(false);
  const turn = turns.find((one) => one.id === opened?.turn);
  const last = turns.at(-1);

  const given = search.get("q");
  useEffect(() => {
    // A question in the address is asked once, and leaves it, so that going back asks nothing.
    if (!given || began.current) return;
    began.current = true;
    void ask({ query: given, scopes: wanted(search.get("scope"), []), asOf: "" });
    setSearch({}, { replace: true });
  }, [given, ask, search, setSearch]);

  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.key === "Escape") setOpened(undefined);
      if (isTyping(event)) return;
      const at = turn ?? last;
      if (event.key === "/") {
        event.preventDefault();
        question.current?.focus();
      } else if ((event.key === "j" || event.key === "k") && at?.answer?.citations?.length) {
        const step = event.key === "j" ? 1 : -1;
        const number = opened ? neighbour(at.answer, opened.number, step) : 1;
        setOpened({ turn: at.id, number });
      } else if (event.key === "e" && at?.answer) {
        go(`/explain?turn=${at.id}`);
      }
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, [turn, last, opened, go]);

  return (
    <div className="ask" data-alone={turn ? undefined : true}>
      <section className="talk" aria-labelledby="talk-title">
        <h1 id="talk-title" className="hidden">
          {say.asking.title}
        </h1>
        <div className="talk-body">
          {turns.length === 0 ? <p className="quiet">{say.asking.empty}</p> : null}
          {turns.map((one) => (
            <TurnView key={one.id} turn={one} opened={opened} onOpen={setOpened} />
          ))}
        </div>
        <p className="hidden" role="status">
          {said(last)}
        </p>
        <Composer
          question={question}
          scopes={scopes.data ?? []}
          chosen={chosen}
          onChoose={setChosen}
          isBusy={last !== undefined && !last.answer && !last.problem}
          onForget={turns.length > 0 ? forget : undefined}
        />
      </section>
      {turn && opened ? <Evidence turn={turn} number={opened.number} onOpen={setOpened} /> : null}
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
