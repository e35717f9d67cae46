import { HttpExchange, type HttpClients } from '../../http/http-exchange.js';
import { parseJson, textAt, valueAt } from '../../http/json-values.js';
import type { Secrets } from '../../http/request/build-request.js';
import { graphRequest } from '../whatsapp-requests.js';
import type { WhatsAppSettings } from '../whatsapp-settings.js';

/** A template of an account at WhatsApp. */
export interface AccountTemplate {
  readonly name: string;
  readonly language: string;
  readonly status: string;
  readonly category: string | null;
  /** Why it was rejected. */
  readonly reason: string | null;
}

const maxTimeoutMs = 30_000;
const fields = 'name,language,status,category,rejected_reason';
/** An answer has at most 64 KiB. */
const perPage = 50;
/** Meta allows an account 6,000 templates at most. */
const maxPages = 500;

/** Reads all templates of the account. @throws Error if an answer is not as documented, without secrets */
export async function readAccountTemplates(
  settings: WhatsAppSettings,
  secrets: Secrets,
  clients: HttpClients,
): Promise<readonly AccountTemplate[]> {
  const path = `${settings.accountId}/message_templates?fields=${fields}&limit=${perPage}`;
  const { allowPrivate = false } = settings;
  const request = { ...graphRequest(settings, path), method: 'GET' } as const;
  const exchange = new HttpExchange({ clients, secrets, maxTimeoutMs, settings: { request, allowPrivate } });
  const templates: AccountTemplate[] = [];
  let after: string | undefined;
  for (let page = 1; page <= maxPages; page += 1) {
    const url = after === undefined ? request.url : `${request.url}&after={after}`;
    const others = { ...(after !== undefined && { after }) };
    const answered = await exchange.send({ ...request, url }, { others }, exchange.limitsOf(undefined));
    if ('call' in answered) throw new Error(`WhatsApp did not answer: ${answered.call.detail ?? ''}`);
    const { status, text } = answered.answer;
    const document = parseJson(text);
    const data = valueAt(document, '/data');
    if (status !== 200 || !Array.isArray(data))
      throw new Error(`WhatsApp answered ${status} ${exchange.mask(text).slice(0, 300)}`);
    templates.push(...data.flatMap(templateOf));
    const next = textAt(document, '/paging/cursors/after');
    if (valueAt(document, '/paging/next') === undefined || next === undefined) return templates;
    after = next;
  }
  throw new Error('The account has too many templates');
}

/** Leaves out items without a name, a language or a status. */
function templateOf(item: unknown): AccountTemplate[] {
  const [name, language, status] = ['/name', '/language', '/status'].map((place) => textAt(item, place));
  if (name === undefined || language === undefined || status === undefined) return [];
  const reason = textAt(item, '/rejected_reason');
  return [
    {
      name,
      language,
      status: status.toUpperCase(),
      category: textAt(item, '/category') ?? null,
      reason: reason === undefined || reason === 'NONE' ? null : reason,
    },
  ];
}
