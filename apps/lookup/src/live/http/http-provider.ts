import { createHash } from 'node:crypto';
import type { ParsedPhone } from '@gangan/contracts';
import { Agent, request } from 'undici';
import type { LiveField, LiveFinding, LiveProvider } from '../live-provider.js';
import { ProviderFailure } from '../provider-failure.js';
import type { ProviderFile } from './provider-file.js';
import { readAnswer } from './read-answer.js';
import { fill, fillAll, type Values, valuesOf } from './template.js';

const largestAnswer = 64 * 1_024;
const mostConnections = 64;
/** Refusals that are not about the number: who may ask, and how often. */
const aboutUs: readonly number[] = [401, 403, 408, 429];

/** Asks over HTTP, as a file says. */
export class HttpProvider implements LiveProvider {
  readonly identity: string;
  readonly tells: ReadonlySet<LiveField>;
  private readonly agent = new Agent({ connections: mostConnections, maxResponseSize: largestAnswer });

  constructor(
    private readonly file: ProviderFile,
    private readonly secret: string | undefined,
  ) {
    const { url, method = 'GET', headers = {}, body, nothingKnown = [], answer } = file;
    const rules = JSON.stringify([url, method, Object.keys(headers), body, nothingKnown, answer]);
    this.identity = `${file.name}-${createHash('sha256').update(rules).digest('hex').slice(0, 16)}`;
    this.tells = new Set(Object.keys(file.answer) as LiveField[]);
  }

  async ask(phone: ParsedPhone, signal: AbortSignal): Promise<LiveFinding> {
    const { status, text } = await this.exchange(valuesOf(phone, this.secret), signal);
    if (this.file.nothingKnown?.includes(status)) return {};
    if (status < 200 || status > 299) {
      const ofThisNumber = status >= 400 && status < 500 && !aboutUs.includes(status);
      throw new ProviderFailure(`it answered with status ${status}`, ofThisNumber);
    }
    return readAnswer(this.file.answer, parsed(text));
  }

  async close(): Promise<void> {
    await this.agent.destroy();
  }

  /** What undici throws may quote what was sent: only its code goes on. */
  private async exchange(values: Values, signal: AbortSignal): Promise<{ status: number; text: string }> {
    const { url, method = 'GET', headers = {}, body } = this.file;
    try {
      const answer = await request(fill(url, values, encodeURIComponent), {
        dispatcher: this.agent,
        signal,
        method,
        headers: {
          accept: 'application/json',
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...(fillAll(headers, values) as Record<string, string>),
        },
        ...(body !== undefined && { body: JSON.stringify(fillAll(body, values)) }),
      });
      return { status: answer.statusCode, text: await answer.body.text() };
    } catch (error) {
      const { code, name } = error as NodeJS.ErrnoException;
      throw new ProviderFailure(`it could not be asked: ${code ?? name}`);
    }
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new ProviderFailure('its answer is no JSON');
  }
}
