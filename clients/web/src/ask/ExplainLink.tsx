import { Link } from "wouter";
import { say } from "../messages/index.ts";
import type { AskedTurn } from "./conversation.ts";

/** Leads to where the ranks of an answer are explained. */
export function ExplainLink({ turn, share }: { turn: AskedTurn; share: string }) {
  return (
    <Link
      className="button"
      data-kind="quiet"
      data-size="small"
      href={explainAt(turn, share)}
      aria-keyshortcuts="e"
    >
      {say.explain.open}
    </Link>
  );
}

/** Returns where the ranks of an answer are explained. */
export function explainAt(turn: AskedTurn, share: string): string {
  const shared = share ? `#${share}` : "";
  return `/explain?${new URLSearchParams({ turn: turn.name ?? turn.id })}${shared}`;
}
