export { type Api, connect, read } from "./client.ts";
export { Problem, problemOf, UNREACHABLE } from "./problem.ts";
export { answerParts } from "./stream.ts";
export type * from "./values.ts";
