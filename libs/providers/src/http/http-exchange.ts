import { systemClock } from '@gangan/contracts';
import { type FailureReason, GuardedClient, type HttpResult, parseRetryAfter } from '@gangan/http-client';
import { type AccessToken, AccessTokens, noToken, readToken, tokenRequest } from './request/access-tokens.js';
import { buildRequest, type RequestValues, type Secrets } from './request/build-request.js';
import { type Mask, maskOf } from './mask.js';
import { ShownExchange } from './shown-exchange.js';
import type { Answer, CallOutcome } from './read-part.js';
import type { RequestSettings } from './request/request-settings.js';
import type { ReportAddress } from '../inbound/inbound-token.js';

const defaultTimeoutMs = 10_000;
const connectTimeoutMs = 4_000;
const maxAnswerBytes = 64 * 1_024;
/** A request is not started with less time left than this. */
const minTimeoutMs = 50;

/** What the settings of all domains have. */
export interface ConnectionSettings {
  readonly request: RequestSettings;
  readonly timeoutMs?: number;
  /** Disables the guard against private and local addresses. */
  readonly allowPrivate?: boolean;
}

/** One call, as the operator may see it: without secrets. */
export interface HttpCall<O = CallOutcome['outcome']> extends CallOutcome<O> {
  /** The same for all messages of a request. */
  readonly shown: ShownExchange;
  /** Why there is no answer. */
  readonly failure?: FailureReason;
}

const limits = { timeoutMs: defaultTimeoutMs, connectTimeoutMs, maxBytes: maxAnswerBytes, maxOrigins: 100 };

/** The connections of a process to all its HTTP providers. */
export class HttpClients {
  private readonly guarded = new GuardedClient({ ...limits, allowPrivate: false });
  private readonly unguarded = new GuardedClient({ ...limits, allowPrivate: true });

  for({ allowPrivate = false }: Pick<ConnectionSettings, 'allowPrivate'>): GuardedClient {
    return allowPrivate ? this.unguarded : this.guarded;
  }

  async close(): Promise<void> {
    await Promise.all([this.guarded.close(), this.unguarded.close()]);
  }
}

export interface HttpCallerOptions<S extends ConnectionSettings> {
  readonly clients: HttpClients;
  readonly settings: S;
  readonly secrets: Secrets;
  /** Absent if the settings do not use `{report_url}`. */
  readonly reportAddress?: ReportAddress | undefined;
  /** The limit for every call; the settings can only lower it. */
  readonly maxTimeoutMs: number;
}

/** How long a call may take, and how long its answer may be. */
export interface CallLimits {
  readonly deadline: number;
  /** Absent: 64 KiB. The rest of a longer answer is not read. */
  readonly maxBytes?: number;
  readonly signal: AbortSignal | undefined;
}

/** The answer to a request, or a call that has none. */
export type Exchange =
  | { readonly shown: ShownExchange; readonly answer: Answer }
  | { readonly call: HttpCall };

/**
 * Requests to one provider, with its credentials and access tokens. Never fails. Nothing is sent after the signal has
 * aborted.
 */
export class HttpExchange {
  /** Masks secrets, including the current access token. */
  readonly mask: Mask = (text) => this.maskSecrets(text);
  private readonly tokens = new AccessTokens(() => this.requestToken());
  private maskSecrets: Mask;

  constructor(private readonly options: HttpCallerOptions<ConnectionSettings>) {
    this.maskSecrets = this.maskWith();
  }

  limitsOf(signal: AbortSignal | undefined): CallLimits {
    return { signal, deadline: performance.now() + this.options.maxTimeoutMs };
  }

  /** Repeats the request with a new access token if the provider refuses the cached one. */
  async send(
    settings: RequestSettings,
    values: Omit<RequestValues, 'secrets' | 'token' | 'reportUrl'>,
    limits: CallLimits,
  ): Promise<Exchange> {
    if (!settings.oauth2) return this.sendWith(settings, values, limits);
    for (let attempt = 1; ; attempt += 1) {
      const access = await this.tokens.get();
      if ('failure' in access) return { call: access.failure };
      const { token } = access;
      const exchange = await this.sendWith(settings, { ...values, token }, limits);
      if (!('answer' in exchange) || exchange.answer.status !== 401) return exchange;
      this.tokens.forget(token);
      if (attempt === 2) return exchange;
    }
  }

  private async sendWith(
    settings: RequestSettings,
    values: Omit<RequestValues, 'secrets' | 'reportUrl'>,
    { deadline, signal, maxBytes = maxAnswerBytes }: CallLimits,
  ): Promise<Exchange> {
    const { clients, settings: provider, secrets, reportAddress } = this.options;
    let shown = new ShownExchange(this.maskSecrets, { url: settings.url, headers: {} });
    let result: HttpResult;
    try {
      const request = buildRequest(settings, { ...values, secrets, reportUrl: reportAddress?.url });
      shown = new ShownExchange(this.maskSecrets, request);
      const timeoutMs = Math.min(
        provider.timeoutMs ?? defaultTimeoutMs,
        Math.floor(deadline - performance.now()),
      );
      if (signal?.aborted || timeoutMs < minTimeoutMs) {
        const detail = signal?.aborted ? 'canceled' : 'no time left';
        return { call: { outcome: 'transient', reason: 'not_submitted', detail, shown } };
      }
      result = await clients
        .for(provider)
        .send({ ...request, timeoutMs, maxBytes, ...(signal && { signal }) });
    } catch (error) {
      // The client throws only if a request is invalid, before it is sent.
      const detail = this.mask(error instanceof Error ? error.message : String(error));
      return { call: { outcome: 'transient', reason: 'invalid_request', detail, shown } };
    }
    if (result.outcome === 'failed') {
      const { reason: failure, notSent = false } = result;
      const [outcome, reason] = notSent
        ? (['transient', 'provider_unreachable'] as const)
        : (['unknown', 'no_answer'] as const);
      return { call: { outcome, reason, detail: failure, failure, shown } };
    }
    const { status, body, retryAfter } = result;
    const receivedAt = systemClock.now();
    const retryAfterMs = retryAfter === undefined ? undefined : parseRetryAfter(retryAfter, new Date());
    return { shown, answer: { status, text: body.toString('utf8'), receivedAt, retryAfterMs } };
  }

  /** No message is sent without a token, so that no outcome is unknown. */
  private async requestToken(): Promise<AccessToken | { readonly failure: HttpCall }> {
    const settings = this.options.settings.request.oauth2 ?? { url: '' };
    const exchange = await this.sendWith(tokenRequest(settings), {}, this.limitsOf(undefined));
    if ('call' in exchange) return { failure: { ...exchange.call, ...noToken } };
    const { answer, shown } = exchange;
    const result = readToken(settings, answer, this.mask);
    if ('outcome' in result) return { failure: { ...result, shown } };
    this.maskSecrets = this.maskWith(result.token);
    return result;
  }

  private maskWith(...accessTokens: readonly string[]): Mask {
    const { secrets, reportAddress } = this.options;
    return maskOf([
      ...Object.values(secrets),
      ...(reportAddress ? [reportAddress.token] : []),
      ...accessTokens,
    ]);
  }
}
