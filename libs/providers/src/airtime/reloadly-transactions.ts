import { parseMicros } from '../cost/money.js';
import type { HttpExchange } from '../http/http-exchange.js';
import { parseJson, textAt, valueAt } from '../http/json-values.js';
import type { ReloadlySettings } from './adapter-settings.js';
import { reloadlyAccess, reloadlyUrl } from './reloadly-access.js';

/** A line of the report of transactions. */
export interface ReloadlyTransaction {
  readonly transactionId: string;
  /** Our reference; empty if the top-up was not made through the API. */
  readonly customIdentifier: string;
  readonly status: string;
  /** In millionths of a naira; undefined if the report has no amount in naira. */
  readonly micros: bigint | undefined;
  readonly at: Date | undefined;
}

/** A page of this size fits into the largest answer that is read. */
const pageSize = 50;
const maxAttempts = 3;
const retryMs = 1_000;

/**
 * Reads the report of transactions, page by page, as https://docs.reloadly.com/airtime/transactions/get-transactions says (read
 * in a public copy). An empty page is the end: a page may have fewer lines than were asked for.
 * @throws Error if a page cannot be read, or if the report changed meanwhile
 */
export async function* readReloadlyTransactions(
  http: Pick<HttpExchange, 'send' | 'limitsOf'>,
  settings: ReloadlySettings,
  period: { readonly from: Date; readonly to: Date },
): AsyncGenerator<ReloadlyTransaction> {
  let [count, previous] = [0, new Set<string>()];
  for (let page = 1; ; page += 1) {
    const query = new URLSearchParams({
      startDate: timeOf(period.from),
      endDate: timeOf(period.to),
      size: String(pageSize),
      page: String(page),
    });
    const url = `${reloadlyUrl(settings)}/topups/reports/transactions?${query.toString().replaceAll('+', '%20')}`;
    const document = await readPage(http, { ...reloadlyAccess(settings), method: 'GET', url }, page);
    const content = valueAt(document, '/content');
    if (!Array.isArray(content)) throw new Error(`page ${page} of the report has no transactions`);
    if (content.length === 0) {
      const total = valueAt(document, '/totalElements');
      if (typeof total === 'number' && total !== count)
        throw new Error(`the report changed while it was read: ${count} of ${total} transactions`);
      return;
    }
    const transactions = content.map(toTransaction);
    const again = transactions.find(({ transactionId }) => previous.has(transactionId));
    if (again)
      throw new Error(`the report changed while it was read: ${again.transactionId} is on two pages`);
    yield* transactions;
    count += transactions.length;
    previous = new Set(transactions.map(({ transactionId }) => transactionId));
  }
}

async function readPage(
  http: Pick<HttpExchange, 'send' | 'limitsOf'>,
  request: Parameters<HttpExchange['send']>[0],
  page: number,
): Promise<unknown> {
  for (let attempt = 1; ; attempt += 1) {
    const exchange = await http.send(request, {}, http.limitsOf(undefined));
    if ('answer' in exchange && exchange.answer.status <= 299) return parseJson(exchange.answer.text);
    const reason =
      'answer' in exchange
        ? `status ${exchange.answer.status}`
        : `${exchange.call.reason ?? exchange.call.outcome} (${exchange.call.detail ?? ''})`;
    if (attempt === maxAttempts) throw new Error(`page ${page} of the report cannot be read: ${reason}`);
    await new Promise((resolve) => setTimeout(resolve, retryMs));
  }
}

/** The documented form: `2021-07-30 00:00:00`. */
const timeOf = (moment: Date): string => moment.toISOString().slice(0, 19).replace('T', ' ');

function toTransaction(item: unknown): ReloadlyTransaction {
  const at = new Date(`${(textAt(item, '/transactionDate') ?? '').replace(' ', 'T')}Z`);
  return {
    transactionId: textAt(item, '/transactionId') ?? '',
    customIdentifier: textAt(item, '/customIdentifier') ?? '',
    status: textAt(item, '/status') ?? '',
    micros: nairaOf(item, 'delivered') ?? nairaOf(item, 'requested'),
    at: Number.isNaN(at.getTime()) ? undefined : at,
  };
}

const nairaOf = (item: unknown, which: 'delivered' | 'requested'): bigint | undefined =>
  textAt(item, `/${which}AmountCurrencyCode`) === 'NGN'
    ? parseMicros(textAt(item, `/${which}Amount`) ?? '')
    : undefined;
