import { Agent, request as httpRequest } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
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
  private readonly agent = new Agent({ keepAlive: true, maxSockets: 256, timeout: idleTimeoutMs });

  constructor(
    /** Of the gateways. Each attempt uses the next one, as behind a load balancer. */
    private readonly ports: readonly number[],
    private readonly timeline: Timeline,
    /** Aborted when no further attempt is made. */
    private readonly ended: AbortSignal,
  ) {}

  async send(request: ClientRequest, apiKey: string, again = false): Promise<ClientAnswer> {
    const key = keyOf(request);
    const headers = { authorization: apiKey, ...(request.method !== 'GET' && { 'idempotency-key': key }) };
    const retriedAfter: string[] = [];
    const common = { request, key, again, retriedAfter };
    for (let attempts = 1; ; attempts += 1) {
      const attempt = await this.attempt(request.method, request.path, headers, request.body);
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
    this.agent.destroy();
  }

  /** `undefined` if no complete response arrived. */
  private attempt(
    method: string,
    path: string,
    headers: Readonly<Record<string, string>>,
    body?: object,
  ): Promise<Attempt | undefined> {
    const payload = body && JSON.stringify(body);
    const port = this.ports[(this.next += 1) % this.ports.length];
    const beganMs = this.timeline.elapsed();
    return new Promise((resolve) => {
      let ended = false;
      const end = (attempt?: Attempt): void => {
        if (ended) return;
        ended = true;
        this.timeline.add(beganMs, attempt?.status ?? 'none');
        resolve(attempt);
      };
      const options = {
        port,
        host: '127.0.0.1',
        agent: this.agent,
        method,
        path,
        timeout: timeoutMs,
        headers: {
          ...headers,
          ...(payload && {
            'content-type': 'application/json',
            'content-length': String(Buffer.byteLength(payload)),
          }),
        },
      };
      const sent = httpRequest(options, (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
        response.once('end', () => {
          const seconds = Number(response.headers['retry-after'] ?? NaN);
          const retryAfterMs = Number.isNaN(seconds) ? undefined : seconds * 1_000;
          end({ status: response.statusCode ?? 0, retryAfterMs, text });
        });
        response.on('error', () => undefined);
      });
      sent.once('timeout', () => sent.destroy());
      sent.on('error', () => undefined);
      // However it ended: an incomplete response causes no error of the request.
      sent.once('close', () => {
        end();
      });
      sent.end(payload);
    });
  }
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
