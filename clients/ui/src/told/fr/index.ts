export { endings } from "./endings.ts";
export { kinds } from "./kinds.ts";
export { told } from "./told.ts";
