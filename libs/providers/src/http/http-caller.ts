import { type FailureReason, GuardedClient, type HttpRequest, type HttpResult } from '@gangan/http-client';
import { type AccessToken, AccessTokens, noToken, readToken, tokenRequest } from './request/access-tokens.js';
import { groupMessages } from './request/batches.js';
import { buildRequest, type RequestValues, type Secrets } from './request/build-request.js';
import { type AskOutcome, askRequest, type HttpSettings } from './http-settings.js';
import { maskOf, maskRequest } from './mask.js';
import type { MessageValues } from './request/placeholders.js';
import {
  type Answer,
  type CallOutcome,
  type Mask,
  readAnswer,
  readAskAnswer,
  readItems,
} from './read-answer.js';
import type { RequestSettings } from './request/request-settings.js';

const defaultTimeoutMs = 10_000;
const connectTimeoutMs = 4_000;
const maxAnswerBytes = 64 * 1_024;
/** With less time left, a request is not begun. */
const minTimeoutMs = 50;

/** One call, as the operator may see it: without secrets. */
export interface HttpCall extends CallOutcome {
  readonly request: HttpRequest;
  readonly answer?: Answer;
  /** Why there is no answer. */
  readonly failure?: FailureReason;
}

/** The connections of a process to all its HTTP providers. */
export class HttpClients {
  private readonly guarded = new GuardedClient({ ...limits, allowPrivate: false });
  private readonly unguarded = new GuardedClient({ ...limits, allowPrivate: true });

  for({ allowPrivate = false }: Pick<HttpSettings, 'allowPrivate'>): GuardedClient {
    return allowPrivate ? this.unguarded : this.guarded;
  }

  async close(): Promise<void> {
    await Promise.all([this.guarded.close(), this.unguarded.close()]);
  }
}

const limits = { timeoutMs: defaultTimeoutMs, connectTimeoutMs, maxBytes: maxAnswerBytes, maxOrigins: 100 };

export interface HttpCallerOptions {
  readonly clients: HttpClients;
  readonly settings: HttpSettings;
  readonly secrets: Secrets;
  /** A call never takes longer, whatever the settings say. */
  readonly maxTimeoutMs: number;
}

/** How long a call may take. */
interface CallLimits {
  readonly deadline: number;
  readonly signal: AbortSignal | undefined;
}

/** The answer to a request, or a call that has none. */
type Exchange = { readonly request: HttpRequest; readonly answer: Answer } | { readonly call: HttpCall };

/** Calls one provider as its settings say. Never fails. Nothing is sent after the signal has aborted. */
export class HttpCaller {
  private readonly tokens = new AccessTokens(() => this.requestToken());
  private mask: Mask;

  constructor(private readonly options: HttpCallerOptions) {
    this.mask = maskOf(Object.values(options.secrets));
  }

  async call(message: MessageValues, signal?: AbortSignal): Promise<HttpCall> {
    const [call] = await this.send([message], this.limitsOf(signal));
    return call as HttpCall;
  }

  /** One call per message, in their order. @param maxRequests in flight at a time */
  async callAll(
    messages: readonly MessageValues[],
    maxRequests: number,
    signal?: AbortSignal,
  ): Promise<HttpCall[]> {
    const calls: HttpCall[] = [];
    const limits = this.limitsOf(signal);
    const groups = groupMessages(this.options.settings.request, messages);
    await eachOf(groups, maxRequests, async (group) => {
      const results = await this.send(
        group.flatMap((index) => messages[index] ?? []),
        limits,
      );
      for (const [position, index] of group.entries()) calls[index] = results[position] as HttpCall;
    });
    return calls;
  }

  /** Asks about messages by our references. @param maxRequests in flight at a time */
  async ask(
    references: readonly string[],
    maxRequests: number,
    signal?: AbortSignal,
  ): Promise<CallOutcome<AskOutcome>[]> {
    const { ask, request } = this.options.settings;
    const outcomes: CallOutcome<AskOutcome>[] = references.map(() => ({
      outcome: 'unknown',
      reason: 'no_answer',
    }));
    if (!ask) return outcomes;
    const limits = this.limitsOf(signal);
    await eachOf([...references.entries()], maxRequests, async ([index, reference]) => {
      const exchange = await this.exchange(askRequest(request, ask), { others: { reference } }, limits);
      if ('answer' in exchange) outcomes[index] = readAskAnswer(ask, exchange.answer, this.mask);
    });
    return outcomes;
  }

  /** Sends messages in one request. If it is refused as a whole, its halves are sent, so that one message cannot fail others. */
  private async send(messages: readonly MessageValues[], limits: CallLimits): Promise<HttpCall[]> {
    const { settings } = this.options;
    const exchange = await this.exchange(settings.request, { messages }, limits);
    if ('call' in exchange) return messages.map(() => exchange.call);
    const { answer, request } = exchange;
    const shown = { request, answer: { ...answer, text: this.mask(answer.text) } };
    const recipients = messages.map(({ recipient }) => recipient);
    const items = readItems(settings, answer, recipients, this.mask);
    if (items) return items.map((outcome) => ({ ...outcome, ...shown }));
    const whole = readAnswer(settings, answer, this.mask);
    if (messages.length === 1) return [{ ...whole, ...shown }];
    // A price would be that of all messages.
    if (whole.outcome !== 'failed') return messages.map(() => ({ ...whole, cost: undefined, ...shown }));
    const middle = Math.ceil(messages.length / 2);
    const first = await this.send(messages.slice(0, middle), limits);
    return [...first, ...(await this.send(messages.slice(middle), limits))];
  }

  /** With a new access token if the provider does not take the one that it gave before. */
  private async exchange(
    settings: RequestSettings,
    values: Omit<RequestValues, 'secrets' | 'token'>,
    limits: CallLimits,
  ): Promise<Exchange> {
    if (!settings.oauth2) return this.exchangeWith(settings, values, limits);
    for (let attempt = 1; ; attempt += 1) {
      const access = await this.tokens.get();
      if ('failure' in access) return { call: access.failure };
      const { token } = access;
      const exchange = await this.exchangeWith(settings, { ...values, token }, limits);
      if (!('answer' in exchange) || exchange.answer.status !== 401) return exchange;
      this.tokens.forget(token);
      if (attempt === 2) return exchange;
    }
  }

  private async exchangeWith(
    settings: RequestSettings,
    values: Omit<RequestValues, 'secrets'>,
    { deadline, signal }: CallLimits,
  ): Promise<Exchange> {
    const { clients, settings: provider, secrets } = this.options;
    let shown: HttpRequest = { url: settings.url, headers: {} };
    let result: HttpResult;
    try {
      const request = buildRequest(settings, { ...values, secrets });
      shown = maskRequest(request, this.mask);
      const timeoutMs = Math.min(
        provider.timeoutMs ?? defaultTimeoutMs,
        Math.floor(deadline - performance.now()),
      );
      if (signal?.aborted || timeoutMs < minTimeoutMs) {
        const detail = signal?.aborted ? 'canceled' : 'no time left';
        return { call: { outcome: 'transient', reason: 'not_submitted', detail, request: shown } };
      }
      result = await clients.for(provider).send({ ...request, timeoutMs, ...(signal && { signal }) });
    } catch (error) {
      // The client throws only if a request is invalid, before it is sent.
      const detail = this.mask(error instanceof Error ? error.message : String(error));
      return { call: { outcome: 'transient', reason: 'invalid_request', detail, request: shown } };
    }
    if (result.outcome === 'failed') {
      const { reason: failure, notSent = false } = result;
      const [outcome, reason] = notSent
        ? (['transient', 'provider_unreachable'] as const)
        : (['unknown', 'no_answer'] as const);
      return { call: { outcome, reason, detail: failure, failure, request: shown } };
    }
    return { request: shown, answer: { status: result.status, text: result.body.toString('utf8') } };
  }

  /** No message is sent without a token, so that no outcome is unknown. */
  private async requestToken(): Promise<AccessToken | { readonly failure: HttpCall }> {
    const settings = this.options.settings.request.oauth2 ?? { url: '' };
    const exchange = await this.exchangeWith(tokenRequest(settings), {}, this.limitsOf(undefined));
    if ('call' in exchange) return { failure: { ...exchange.call, ...noToken } };
    const { answer, request } = exchange;
    const result = readToken(settings, answer, this.mask);
    if ('outcome' in result) return { failure: { ...result, request } };
    this.mask = maskOf([...Object.values(this.options.secrets), result.token]);
    return result;
  }

  private limitsOf(signal: AbortSignal | undefined): CallLimits {
    return { signal, deadline: performance.now() + this.options.maxTimeoutMs };
  }
}

/** Handles all items, at most so many at a time. */
async function eachOf<T>(
  items: readonly T[],
  atOnce: number,
  handle: (item: T) => Promise<void>,
): Promise<void> {
  const rest = items[Symbol.iterator]();
  const work = async (): Promise<void> => {
    for (const item of rest) await handle(item);
  };
  await Promise.all(Array.from({ length: Math.max(1, atOnce) }, work));
}
