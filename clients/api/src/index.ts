export { type Api, connect, read } from "./client.ts";
export { fetchNow, outcomeOf } from "./crawling.ts";
export { idOf } from "./names.ts";
export { Problem, problemOf, UNREACHABLE } from "./problem.ts";
export { answerParts } from "./stream.ts";
export type * from "./values.ts";
