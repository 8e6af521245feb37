import type { components } from "./schema.ts";

type Schemas = components["schemas"];

export type Answer = Schemas["AnswerResponse"];
export type Boundary = Schemas["Scope.Boundary"];
export type Citation = Schemas["Citation"];
export type DiffHunk = Schemas["DiffHunk"];
export type DiffPart = Schemas["DiffPart"];
export type Gap = Schemas["Gap"];
export type Job = Schemas["Job"];
export type JobCounts = Schemas["JobCounts"];
export type LineageEntry = Schemas["LineageEntry"];
export type PageChange = Schemas["PageChange"];
export type PageFreshness = Schemas["PageFreshness"];
export type PageOutcome = Schemas["PageOutcome"];
export type PageText = Schemas["ReadPageResponse"];
export type PageVersion = Schemas["PageVersion"];
export type Passage = Schemas["Passage"];
export type PassageExplanation = Schemas["PassageExplanation"];
export type ResolvedCitation = Schemas["ResolvedCitation"];
export type Scope = Schemas["Scope"];
export type ScopeRule = Schemas["ScopeRule"];
export type ScorePart = Schemas["ScorePart"];
export type ScoreWeights = Schemas["ScoreWeights"];
export type TextEdit = Schemas["TextEdit"];
export type Turn = Schemas["Turn"];
export type WhoAmI = Schemas["WhoAmIResponse"];
