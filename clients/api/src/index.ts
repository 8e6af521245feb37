export { type Api, connect, read } from "./client.ts";
export { Problem, UNREACHABLE } from "./problem.ts";
export type * from "./values.ts";
