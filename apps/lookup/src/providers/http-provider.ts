import { createHash } from 'node:crypto';
import type { ParsedPhone } from '@gangan/contracts';
import { Agent, request } from 'undici';
import type { LookupConfig } from '../lookup.config.js';
import {
  ConfiguredProvider,
  type LiveField,
  type LiveFinding,
  type LiveProvider,
  ProviderError,
} from './live-provider.js';
import { parseJson, type ProviderFile, readProviderFile } from './provider-file.js';
import { readResponse } from './read-response.js';
import { fill, fillAll, templateValues, type TemplateValues } from './request-template.js';

const maxResponseSize = 64 * 1_024;
const maxConnections = 64;
/** Rejections that concern our access, not the number. */
const accessStatuses: readonly number[] = [401, 403, 408, 429];

/** @throws StartupError if the configured file cannot be used */
export async function openProvider(config: LookupConfig): Promise<ConfiguredProvider> {
  const { LOOKUP_PROVIDER_FILE: path, LOOKUP_PROVIDER_SECRET: secret } = config;
  if (path === undefined) return new ConfiguredProvider(undefined);
  return new ConfiguredProvider(new HttpProvider(await readProviderFile(path, secret), secret));
}

/** Calls a provider over HTTP as its file describes. */
export class HttpProvider implements LiveProvider {
  readonly identity: string;
  readonly fields: ReadonlySet<LiveField>;
  private readonly agent = new Agent({ connections: maxConnections, maxResponseSize });

  constructor(
    private readonly file: ProviderFile,
    private readonly secret: string | undefined,
  ) {
    const { url, method = 'GET', headers = {}, body, nothingKnown = [], answer } = file;
    const rules = JSON.stringify([url, method, Object.keys(headers), body, nothingKnown, answer]);
    this.identity = `${file.name}-${createHash('sha256').update(rules).digest('hex').slice(0, 16)}`;
    this.fields = new Set(Object.keys(file.answer) as LiveField[]);
  }

  async find(phone: ParsedPhone, signal: AbortSignal): Promise<LiveFinding> {
    const { status, text } = await this.send(templateValues(phone, this.secret), signal);
    if (this.file.nothingKnown?.includes(status)) return {};
    if (status < 200 || status > 299) {
      const concernsOnlyNumber = status >= 400 && status < 500 && !accessStatuses.includes(status);
      throw new ProviderError(`it responded with status ${status}`, concernsOnlyNumber);
    }
    const document = parseJson(text);
    if (document === undefined) throw new ProviderError('its response is not JSON');
    return readResponse(this.file.answer, document);
  }

  async close(): Promise<void> {
    await this.agent.destroy();
  }

  /** Errors of undici may quote the request, so only their code is passed on. */
  private async send(values: TemplateValues, signal: AbortSignal): Promise<{ status: number; text: string }> {
    const { url, method = 'GET', headers = {}, body } = this.file;
    try {
      const response = await request(fill(url, values, encodeURIComponent), {
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
      return { status: response.statusCode, text: await response.body.text() };
    } catch (error) {
      const { code, name } = error as NodeJS.ErrnoException;
      throw new ProviderError(`the request failed: ${code ?? name}`);
    }
  }
}
