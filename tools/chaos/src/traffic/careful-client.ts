import { setTimeout as pause } from 'node:timers/promises';
import { Agent, type Dispatcher, request } from 'undici';
import { type ClientAnswer, type ClientRequest, keyOf } from './requests.js';
import type { Timeline } from './timeline.js';

export interface Attempt {
  readonly status: number;
  readonly retryAfterMs: number | undefined;
  readonly text: string;
}

/** Longer than the deadline of any operation. */
export const timeoutMs = 25_000;
/** Shorter than that of any server: a connection that the server is closing is not used. */
const idleTimeoutMs = 3_000;
const firstDelayMs = 200;
const maxDelayMs = 3_000;

/**
 * Sends requests as the documentation advises: one `Idempotency-Key` for each but a GET, repeated with backoff after 409 `in_progress`,
 * 429 with `Retry-After`, 5xx and broken connections until a final answer arrives.
 */
export class CarefulClient {
  private next = 0;
  private readonly agent = new Agent({
    connections: 256,
    keepAliveTimeout: idleTimeoutMs,
    keepAliveMaxTimeout: idleTimeoutMs,
  });

  constructor(
    /** Of the gateways. Each attempt uses the next one, as behind a load balancer. */
    private readonly ports: readonly number[],
    private readonly timeline: Timeline,
    /** Aborted when no further attempt is made. */
    private readonly ended: AbortSignal,
  ) {}

  async send(sent: ClientRequest, apiKey: string, again = false): Promise<ClientAnswer> {
    const key = keyOf(sent);
    const headers = { authorization: apiKey, ...(sent.method !== 'GET' && { 'idempotency-key': key }) };
    const retriedAfter: string[] = [];
    const common = { request: sent, key, again, retriedAfter };
    for (let attempts = 1; ; attempts += 1) {
      const attempt = await this.attempt(sent.method, sent.path, headers, sent.body);
      const body = attempt && parse(attempt.text);
      if (attempt && !isRetried(attempt, body))
        return { ...common, status: attempt.status, body, text: attempt.text, attempts };
      retriedAfter.push(attempt ? [attempt.status, ...typesOf(body)].join(' ') : 'no response');
      const delayMs = Math.max(attempt?.retryAfterMs ?? 0, backoffMs(attempts));
      const waited = await pause(delayMs, true, { signal: this.ended }).catch(() => false);
      if (!waited) return { ...common, status: 0, body: undefined, text: '', attempts };
    }
  }

  /** Reads until the response is 200. */
  async read(path: string, apiKey: string): Promise<unknown> {
    for (let attempts = 1; ; attempts += 1) {
      const attempt = await this.attempt('GET', path, { authorization: apiKey });
      if (attempt?.status === 200) return parse(attempt.text);
      await pause(backoffMs(attempts), undefined, { signal: this.ended });
    }
  }

  /** One attempt, without a body; its result does not matter. */
  async post(path: string, apiKey: string): Promise<void> {
    await this.attempt('POST', path, { authorization: apiKey });
  }

  close(): void {
    void this.agent.destroy();
  }

  /** `undefined` if no complete response arrived. */
  private async attempt(
    method: ClientRequest['method'],
    path: string,
    headers: Readonly<Record<string, string>>,
    body?: object,
  ): Promise<Attempt | undefined> {
    const port = this.ports[(this.next += 1) % this.ports.length];
    const beganMs = this.timeline.elapsed();
    const attempt = await request(`http://127.0.0.1:${port}${path}`, {
      method,
      dispatcher: this.agent,
      signal: AbortSignal.timeout(timeoutMs),
      headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
      body: body ? JSON.stringify(body) : null,
    }).then(readAttempt, () => undefined);
    this.timeline.add(beganMs, attempt?.status ?? 'none');
    return attempt;
  }
}

async function readAttempt({
  statusCode: status,
  headers,
  body,
}: Dispatcher.ResponseData): Promise<Attempt | undefined> {
  const text = await body.text().catch(() => undefined);
  const seconds = Number(headers['retry-after'] ?? NaN);
  const retryAfterMs = Number.isNaN(seconds) ? undefined : seconds * 1_000;
  return text === undefined ? undefined : { status, retryAfterMs, text };
}

const backoffMs = (attempts: number): number => Math.min(firstDelayMs * 2 ** (attempts - 1), maxDelayMs);

function isRetried({ status, retryAfterMs }: Attempt, body: unknown): boolean {
  if (status >= 500) return true;
  if (status === 429) return retryAfterMs !== undefined;
  return status === 409 && typesOf(body).includes('in_progress');
}

/** The types of the errors in a response. */
export const typesOf = (body: unknown): string[] => {
  const { errors = [] } = Object(body) as { errors?: readonly { readonly type: string }[] };
  return errors.map(({ type }) => type);
};

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
