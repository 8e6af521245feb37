/** Sentences that the server tells in English too; in English they are its own. */
export const told = {
  /** By the codes of remarks; `{name}` stands for an argument. */
  remarks: {
    ranks_first: "Ranks {rank}: it is ahead of rank {below} by {ahead_by}.",
    ranks_between:
      "Ranks {rank}: rank {above} is ahead of it by {behind_by}, and it is ahead of rank {below} by {ahead_by}.",
    ranks_last: "Ranks {rank}, the last here: rank {above} is ahead of it by {behind_by}.",
    ranks_alone: "Ranks {rank}: it is the only passage here.",
    relevant: "It is relevant with a probability of {percent} %.",
    calibrated:
      "Probabilities are calibrated on {questions} judged questions of {sets} sets for {model}; a set of pages of your own may differ.",
    rank_without: "Without {part} it would rank {rank}.",
    unshown_without: "Without {part} it would not be among the first {among}.",
    rank_if_fresh: "Were its text of today, it would rank {rank}.",
    rank_if_preferred: "Were its scope preferred, it would rank {rank}.",
    rank_if_timely: "Did it speak of the time asked for, it would rank {rank}.",
  } as Record<string, string>,
  /** Parts of a score: what each is called where it is left out, and what is ahead by it has. */
  parts: {
    prior: ["the prior", "nothing but the prior"],
    vector: ["closeness of meaning", "a meaning closer to the question"],
    bm25: ["the question's words", "more of the question's words"],
    bm25_margin: ["rare words", "words of the question that few others hold"],
    sentence: ["its best sentence", "a sentence closer to the question"],
    time: ["the time asked for", "a better fit to the time asked for"],
    page: ["what its page is about", "a page closer to the question"],
    length: ["its length", "more room for an answer"],
    graph: ["links", "closer links to what the question names"],
    scope: ["the preference for scopes", "a preferred scope"],
    fresh: ["freshness", "a more recent text"],
    rerank: ["the reranker", "the preference of the model that reads both"],
  } as Record<string, [string, string]>,
  nothingAhead: "next to nothing",
  and: " and ",
  /** By the reasons of problems. */
  problems: {} as Record<string, string>,
  /** What is wrong with a rule: its pattern, and why. */
  ruleError: (pattern: string, why: string) => `The rule “${pattern}” cannot be used: ${why}.`,
  /** By the codes of faults; `{detail}` stands for what a parser said. */
  ruleFaults: {} as Record<string, string>,
  detail: "The server says",
  /** Parts of a score, each by its name. */
  partNames: {
    prior: "prior",
    vector: "vector",
    graph: "graph",
    fresh: "freshness",
    scope: "scope",
    bm25: "words",
    bm25_margin: "rare words",
    sentence: "sentence",
    time: "time",
    page: "page",
    length: "length",
    rerank: "reranker",
  } as Record<string, string>,
};
