import { Deadline } from './deadline.js';
import { ApiError, ConnectionError, type FailedRequest, type GanganError } from './errors.js';
import { isInProgress, retryDelayMs } from './retry.js';
import {
  type Answer,
  type CsvFile,
  type Input,
  type Repetition,
  repetitionOf,
  type Route,
} from './routes.js';

/** How requests are authenticated: with an API key, or in a browser with the cookie of a session. */
export type Credentials =
  | { readonly apiKey: string }
  /** The id of the organisation that the signed-in person works for. */
  | { readonly organisation: string };

export interface RetryEvent {
  /** Such as `POST /sms/send`. */
  readonly route: string;
  /** The attempt that failed, from 1. */
  readonly attempt: number;
  /** How long the SDK waits before the next attempt. */
  readonly delayMs: number;
  readonly error: GanganError;
  readonly idempotencyKey: string | undefined;
}

export interface Settings {
  /** Where the API is, such as `https://sms.example.com`. */
  readonly baseUrl: string;
  /** The total time of a call with all its attempts. Default: 60,000. */
  readonly timeoutMs?: number | undefined;
  /** How often a call is retried at most. Waiting for an earlier attempt that is in progress does not count. Default: 8. */
  readonly maxRetries?: number | undefined;
  /** Instead of the global `fetch`. */
  readonly fetch?: typeof fetch | undefined;
  /** Called before each retry. */
  readonly onRetry?: ((event: RetryEvent) => void) | undefined;
}

/** Options of one call. */
export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number | undefined;
  readonly maxRetries?: number | undefined;
}

/** Options of a call that changes something. */
export interface WriteOptions extends CallOptions {
  /** By default each call has a new key. Give your own to repeat a call after a restart of your program. */
  readonly idempotencyKey?: string | undefined;
}

/** Options of a call that is not repeated if its answer was lost, because the API takes no key for it. */
export interface UnkeyedOptions extends CallOptions {
  /** Repeat it nevertheless. A lookup may then be charged twice, and a repeated DELETE may get 404. Default: false. */
  readonly retryLostAnswers?: boolean | undefined;
}

type Options = WriteOptions & UnkeyedOptions;

interface PreparedRequest extends FailedRequest {
  readonly url: string;
  readonly init: RequestInit;
  readonly repetition: Repetition | 'never';
}

/** `Input` of any route. */
interface AnyInput {
  readonly path?: Readonly<Record<string, string>> | undefined;
  readonly query?: object | undefined;
  readonly body?: unknown;
  readonly csv?: CsvFile | undefined;
}

type Read<T> = (response: Response) => T | Promise<T>;

/** Sends requests, and sends them again if that is safe. */
export class Api {
  constructor(private readonly settings: Settings & Credentials) {}

  /** Returns the JSON of the response. */
  async call<R extends Route>(route: R, input: Input<R>, options: Options = {}): Promise<Answer<R>> {
    const deadline = this.deadlineOf(options);
    try {
      return await this.run(
        this.prepare(route, input, options),
        deadline,
        options,
        async (response) => (await response.json()) as Answer<R>,
      );
    } finally {
      deadline.end();
    }
  }

  /** Returns a response whose file was not read yet. The time of the call ends when the file begins to arrive. */
  async file<R extends Route>(route: R, input: Input<R>, options: Options = {}): Promise<Response> {
    const deadline = this.deadlineOf(options);
    try {
      return await this.run(this.prepare(route, input, options), deadline, options, (response) => response);
    } catch (error) {
      deadline.end();
      throw error;
    } finally {
      deadline.stopClock();
    }
  }

  private async run<T>(
    request: PreparedRequest,
    deadline: Deadline,
    options: Options,
    read: Read<T>,
  ): Promise<T> {
    const { route, idempotencyKey, repetition } = request;
    const maxRetries = options.maxRetries ?? this.settings.maxRetries ?? 8;
    let failure: GanganError | undefined;
    for (let attempt = 1, retries = 0; ; attempt += 1) {
      deadline.check(request, failure);
      try {
        return await this.attempt(request, deadline.signal, read);
      } catch (error) {
        deadline.check(request, failure);
        failure = error instanceof ApiError ? error : new ConnectionError(messageOf(error), request, error);
      }
      const delayMs = repetition === 'never' ? undefined : retryDelayMs(failure, repetition, retries);
      if (!(failure instanceof ApiError && isInProgress(failure))) retries += 1;
      if (delayMs === undefined || retries > maxRetries || delayMs > deadline.leftMs) throw failure;
      this.settings.onRetry?.({ route, attempt, delayMs, error: failure, idempotencyKey });
      await deadline.pause(delayMs);
    }
  }

  private async attempt<T>(request: PreparedRequest, signal: AbortSignal, read: Read<T>): Promise<T> {
    const { fetch: send = fetch } = this.settings;
    const response = await send(request.url, { ...request.init, signal });
    if (response.ok) return read(response);
    const { status, headers } = response;
    throw new ApiError({ status, headers, body: await response.text() }, request);
  }

  private deadlineOf({ timeoutMs, signal }: Options): Deadline {
    return new Deadline(timeoutMs ?? this.settings.timeoutMs ?? 60_000, signal);
  }

  private prepare(route: Route, { path, query, body, csv }: AnyInput, options: Options): PreparedRequest {
    const declared = repetitionOf(route);
    const repetition = declared === 'once' && options.retryLostAnswers ? 'read' : declared;
    const idempotencyKey = repetition === 'keyed' ? (options.idempotencyKey ?? newKey()) : undefined;
    const [method = '', template = ''] = route.split(' ');
    const url = new URL(this.settings.baseUrl.replace(/\/$/, '') + pathOf(template, path));
    for (const [name, value] of Object.entries(query ?? {}) as [string, string | number | undefined][])
      if (value !== undefined) url.searchParams.set(name, String(value));
    // Values that a header cannot contain throw here, before the first attempt.
    const headers = new Headers({
      accept: 'application/json',
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(csv !== undefined && { 'content-type': 'text/csv' }),
      ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
    });
    const isStream = csv instanceof ReadableStream;
    const init: RequestInit = {
      method,
      headers,
      credentials: this.authenticate(headers),
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(csv !== undefined && { body: csv }),
      ...(isStream && { duplex: 'half' }),
    };
    return { route, url: url.href, init, idempotencyKey, repetition: isStream ? 'never' : repetition };
  }

  private authenticate(headers: Headers): 'omit' | 'include' {
    if ('apiKey' in this.settings) {
      headers.set('authorization', this.settings.apiKey);
      return 'omit';
    }
    headers.set('gangan-organisation', this.settings.organisation);
    return 'include';
  }
}

function pathOf(template: string, parameters: AnyInput['path'] = {}): string {
  return template.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = parameters[name] ?? '';
    // They would lead to another route: `/sms/` is the list of messages.
    if (['', '.', '..'].includes(value)) throw new TypeError(`${name} must be an id, not "${value}"`);
    return encodeURIComponent(value);
  });
}

/** 128 random bits. `crypto.randomUUID` is missing in browsers on pages without https. */
function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** `fetch` fails with a general message; its cause says more. */
function messageOf(error: unknown): string {
  const { message, cause } = error as {
    readonly message?: string;
    readonly cause?: { readonly message?: string };
  };
  return [message ?? String(error), cause?.message].filter(Boolean).join(': ');
}
