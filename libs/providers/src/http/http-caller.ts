import { type FailureReason, GuardedClient, type HttpRequest, type HttpResult } from '@gangan/http-client';
import { buildRequest, type Secrets } from './build-request.js';
import type { HttpSettings } from './http-settings.js';
import type { MessageValues } from './placeholders.js';
import { type CallOutcome, readAnswer } from './read-answer.js';

const defaultTimeoutMs = 10_000;
const connectTimeoutMs = 4_000;
const maxAnswerBytes = 64 * 1_024;
const minSecretLength = 4;

/** One call, as the operator may see it: without secrets. */
export interface HttpCall extends CallOutcome {
  readonly request: HttpRequest;
  readonly answer?: { readonly status: number; readonly text: string };
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

/** Calls one provider as its settings say. */
export class HttpCaller {
  constructor(private readonly options: HttpCallerOptions) {}

  /** Never fails. Nothing is sent after the signal has aborted. */
  async call(message: MessageValues, signal?: AbortSignal): Promise<HttpCall> {
    const { clients, settings, secrets, maxTimeoutMs } = this.options;
    let shown: HttpRequest = { url: settings.request.url, headers: {} };
    let result: HttpResult;
    try {
      const request = buildRequest(settings.request, message, secrets);
      shown = this.masked(request);
      if (signal?.aborted)
        return { outcome: 'transient', reason: 'not_submitted', detail: 'canceled', request: shown };
      const timeoutMs = Math.min(settings.timeoutMs ?? defaultTimeoutMs, maxTimeoutMs);
      result = await clients.for(settings).send({ ...request, timeoutMs, ...(signal && { signal }) });
    } catch (error) {
      // The client throws only if a request is invalid, before it is sent.
      const detail = this.mask(error instanceof Error ? error.message : String(error));
      return { outcome: 'transient', reason: 'invalid_request', detail, request: shown };
    }
    if (result.outcome === 'failed') {
      const { reason: failure, notSent = false } = result;
      const [outcome, reason] = notSent
        ? (['transient', 'provider_unreachable'] as const)
        : (['unknown', 'no_answer'] as const);
      return { outcome, reason, detail: failure, failure, request: shown };
    }
    const answer = { status: result.status, text: result.body.toString('utf8') };
    return {
      ...readAnswer(settings, answer, (text) => this.mask(text)),
      request: shown,
      answer: { ...answer, text: this.mask(answer.text) },
    };
  }

  private masked({ headers, url, body, ...request }: HttpRequest): HttpRequest {
    const shownHeaders = Object.entries(headers).map(([name, value]) => [
      name,
      name === 'authorization' ? '***' : this.mask(value),
    ]);
    return {
      ...request,
      url: this.mask(url),
      headers: Object.fromEntries(shownHeaders) as Record<string, string>,
      ...(body !== undefined && { body: this.mask(body) }),
    };
  }

  /** Replaces secrets, also as they are written in a URL, a form or JSON (PHP escapes slashes there). */
  private mask(text: string): string {
    const forms = Object.values(this.options.secrets)
      .filter((secret) => secret.length >= minSecretLength)
      .flatMap((secret) => [
        secret,
        encodeURIComponent(secret),
        new URLSearchParams({ s: secret }).toString().slice(2),
        JSON.stringify(secret).slice(1, -1),
        JSON.stringify(secret)
          .slice(1, -1)
          .replaceAll('/', String.raw`\/`),
      ])
      .toSorted((one, other) => other.length - one.length);
    return forms.reduce((masked, secret) => masked.replaceAll(secret, '***'), text);
  }
}
