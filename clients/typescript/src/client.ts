import { equals, type MessageInitShape } from "@bufbuild/protobuf";
import {
  type Client,
  Code,
  ConnectError,
  createClient,
  type Interceptor,
  type Transport,
} from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-web";
import { attempts, reopened } from "./attempts.ts";
import { AuditService } from "./gen/scops/api/v1alpha1/audit_service_pb.js";
import { ChatService } from "./gen/scops/api/v1alpha1/chat_service_pb.js";
import { IdentityService } from "./gen/scops/api/v1alpha1/identity_service_pb.js";
import {
  JobService,
  type WatchJobResponse,
  WatchJobResponseSchema,
} from "./gen/scops/api/v1alpha1/job_service_pb.js";
import { OperationsService } from "./gen/scops/api/v1alpha1/operations_service_pb.js";
import {
  PageService,
  type WatchChangesRequestSchema,
  type WatchChangesResponse,
} from "./gen/scops/api/v1alpha1/page_service_pb.js";
import { PurgeService } from "./gen/scops/api/v1alpha1/purge_service_pb.js";
import { ResearchService } from "./gen/scops/api/v1alpha1/research_service_pb.js";
import { ScopeService } from "./gen/scops/api/v1alpha1/scope_service_pb.js";
import {
  SearchService,
  type StreamAnswerRequestSchema,
  type StreamAnswerResponse,
} from "./gen/scops/api/v1alpha1/search_service_pb.js";
import { TransferService } from "./gen/scops/api/v1alpha1/transfer_service_pb.js";
import { WatchService } from "./gen/scops/api/v1alpha1/watch_service_pb.js";

/** For a call with all its attempts. */
const PATIENCE_MS = 30_000;

/** Where a gateway is, and who asks it. */
export interface ScopsOptions {
  /** Such as `http://127.0.0.1:7301`; in a page of the gateway's own, `location.origin`. */
  baseUrl: string;
  /** An API key or a token, or what returns one; nothing where none is needed. */
  key?: string | (() => string | Promise<string>);
  /** For a call with all its attempts. */
  timeoutMs?: number;
  /** In place of the one that is there. */
  fetch?: typeof globalThis.fetch;
}

/** A gateway: a client of each service of the API, and its streams as they are meant to be read. */
export class Scops {
  readonly audit: Client<typeof AuditService>;
  readonly chats: Client<typeof ChatService>;
  readonly identity: Client<typeof IdentityService>;
  readonly jobs: Client<typeof JobService>;
  readonly operations: Client<typeof OperationsService>;
  readonly pages: Client<typeof PageService>;
  readonly purges: Client<typeof PurgeService>;
  readonly researches: Client<typeof ResearchService>;
  readonly scopes: Client<typeof ScopeService>;
  readonly search: Client<typeof SearchService>;
  readonly transfers: Client<typeof TransferService>;
  readonly watches: Client<typeof WatchService>;

  constructor(options: ScopsOptions) {
    const transport = transportOf(options);
    this.audit = createClient(AuditService, transport);
    this.chats = createClient(ChatService, transport);
    this.identity = createClient(IdentityService, transport);
    this.jobs = createClient(JobService, transport);
    this.operations = createClient(OperationsService, transport);
    this.pages = createClient(PageService, transport);
    this.purges = createClient(PurgeService, transport);
    this.researches = createClient(ResearchService, transport);
    this.scopes = createClient(ScopeService, transport);
    this.search = createClient(SearchService, transport);
    this.transfers = createClient(TransferService, transport);
    this.watches = createClient(WatchService, transport);
  }

  /** Answers part by part: sources, then each statement with its citations, then the whole. */
  answerStream(
    question: MessageInitShape<typeof StreamAnswerRequestSchema>,
    signal?: AbortSignal,
  ): AsyncGenerator<StreamAnswerResponse> {
    const open = (_: unknown, until: AbortSignal) =>
      this.search.streamAnswer(question, { signal: until });
    return reopened(open, { lasts: false, signal });
  }

  /** Tells a job whenever it has changed, until it has ended. */
  async *watchJob(name: string, signal?: AbortSignal): AsyncGenerator<WatchJobResponse> {
    let told: WatchJobResponse | undefined;
    const open = (_: unknown, until: AbortSignal) =>
      this.jobs.watchJob({ name }, { signal: until });
    for await (const part of reopened(open, { lasts: true, signal })) {
      // Opened again, it begins with how things stand.
      if (!told || !equals(WatchJobResponseSchema, told, part)) yield part;
      told = part;
    }
  }

  /** Tells what changes on the pages of a scope as it is recorded; it has no end of its own. */
  async *watchChanges(
    watch: MessageInitShape<typeof WatchChangesRequestSchema>,
    signal?: AbortSignal,
  ): AsyncGenerator<WatchChangesResponse> {
    const open = (last: WatchChangesResponse | undefined, until: AbortSignal) =>
      this.pages.watchChanges(last ? { ...watch, cursor: last.cursor } : watch, { signal: until });
    for await (const part of reopened(open, { lasts: true, signal })) {
      if (part.changes.length > 0) yield part;
    }
  }
}

function transportOf({ baseUrl, key, timeoutMs, fetch }: ScopsOptions): Transport {
  const interceptors = key ? [attempts, authorising(key)] : [attempts];
  const shared = { baseUrl, interceptors, fetch: reaching(fetch ?? globalThis.fetch) };
  const calls = createConnectTransport({ ...shared, defaultTimeoutMs: timeoutMs ?? PATIENCE_MS });
  // A stream has the time that its gateway gives it.
  const streams = createConnectTransport(shared);
  return { unary: calls.unary.bind(calls), stream: streams.stream.bind(streams) };
}

/** Says that nobody is there as gRPC does, so that it is tried again. */
function reaching(fetch: typeof globalThis.fetch): typeof globalThis.fetch {
  return async (input, init) => {
    try {
      return await fetch(input, init);
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
      throw new ConnectError(
        "The gateway does not answer.",
        Code.Unavailable,
        undefined,
        [],
        error,
      );
    }
  };
}

function authorising(key: NonNullable<ScopsOptions["key"]>): Interceptor {
  return (next) => async (call) => {
    const said = typeof key === "string" ? key : await key();
    if (said) call.header.set("authorization", `Bearer ${said}`);
    return next(call);
  };
}
