import type { Network } from '@gangan/contracts';
import {
  type AfricasTalkingSettings,
  type Answer,
  type Cost,
  costLessCommission,
  type Credit,
  type CreditSource,
  type HttpExchange,
  parseJson,
  parsePrice,
  readCredit,
  submissionReference,
  textAt,
  valueAt,
  warnBelowMicros,
} from '@gangan/providers';
import type { AirtimeProvider, QueryResult, SubmitResult, TopUp, TopUpQuery } from './airtime-provider.js';
import { declined, failed, refused, unknown, unknownAfter, withoutAnswer } from './http-answers.js';

const defaultUrl = 'https://api.africastalking.com/version1';
const defaultQueryUrl = 'https://payments.africastalking.com/query/transaction/find';

/**
 * Africa's Talking, as https://docs.africastalking.com/airtime/sending (read in the official client),
 * https://docs.africastalking.com/idempotentrequests, /query/findtransaction and /userdata/balance say. It can be asked only by
 * its own id: a purchase whose answer was lost stays unknown, and an operator has to resolve it.
 */
export class AfricasTalking implements AirtimeProvider {
  readonly credit: CreditSource;

  constructor(
    readonly name: string,
    private readonly settings: AfricasTalkingSettings,
    private readonly http: Pick<HttpExchange, 'send' | 'limitsOf'>,
  ) {
    this.credit = { warnBelow: warnBelowMicros(settings.credit?.warnBelow), ask: () => this.askCredit() };
  }

  /** Africa's Talking refuses an idempotency key that it has seen, even if it bought nothing. */
  referenceFor(purchaseId: string, now: Date): string {
    return submissionReference(purchaseId, now);
  }

  costOf(network: Network, kobo: bigint): Cost | undefined {
    return costLessCommission(this.settings.commission, network, kobo);
  }

  async submit({ reference, recipient, kobo, product }: TopUp, signal: AbortSignal): Promise<SubmitResult> {
    if (product !== undefined) return declined('not_available');
    const { url = defaultUrl, username } = this.settings;
    const amount = `NGN ${(Number(kobo) / 100).toFixed(2)}`;
    const form = { username, recipients: JSON.stringify([{ phoneNumber: recipient, amount }]) };
    const headers = { ...ownHeaders, 'Idempotency-Key': reference };
    const exchange = await this.http.send(
      { url: `${url}/airtime/send`, headers, form },
      {},
      this.http.limitsOf(signal),
    );
    return 'call' in exchange ? withoutAnswer(exchange.call) : readAfricasTalkingTopUp(exchange.answer);
  }

  async query({ providerReference }: TopUpQuery, signal: AbortSignal): Promise<QueryResult> {
    if (providerReference === null) return unknown;
    const { queryUrl = defaultQueryUrl } = this.settings;
    const exchange = await this.get(
      `${queryUrl}?transactionId=${encodeURIComponent(providerReference)}&`,
      signal,
    );
    return 'call' in exchange ? unknown : readAfricasTalkingQuery(exchange.answer);
  }

  private async askCredit(): Promise<Credit | undefined> {
    const exchange = await this.get(`${this.settings.url ?? defaultUrl}/user?`, undefined);
    return 'call' in exchange ? undefined : readCredit({ amount: '/UserData/balance' }, exchange.answer);
  }

  private get(url: string, signal: AbortSignal | undefined) {
    const whole = `${url}username=${encodeURIComponent(this.settings.username)}`;
    return this.http.send({ method: 'GET', url: whole, headers: ownHeaders }, {}, this.http.limitsOf(signal));
  }
}

const ownHeaders = { apiKey: '{secret.api_key}', Accept: 'application/json' };

/** What the answer to a top-up means. `Sent`: it is on its way, and has to be asked for. */
export function readAfricasTalkingTopUp({ status: httpStatus, text }: Answer): SubmitResult {
  if (httpStatus === 401) return refused;
  const document = parseJson(text);
  const error = textAt(document, '/responses/0/errorMessage') ?? textAt(document, '/errorMessage') ?? '';
  const status = textAt(document, '/responses/0/status');
  const id = textAt(document, '/responses/0/requestId') ?? 'None';
  const unclear = { ...unknownAfter(httpStatus), ...(id !== 'None' && { providerReference: id }) };
  const cost = costOf(document);
  if (status === 'Sent' || httpStatus > 299 || /duplicate/i.test(error))
    return { ...unclear, ...(cost && { cost }) };
  if (/insufficient/i.test(error)) return refused;
  const isRefusal = status === 'Failed' || valueAt(document, '/numSent') === 0;
  if (!isRefusal) return unclear;
  return failed(/phone/i.test(error) ? 'invalid_number' : 'rejected');
}

/** What the answer to a query means. */
export function readAfricasTalkingQuery({ status: httpStatus, text }: Answer): QueryResult {
  const document = parseJson(text);
  if (httpStatus > 299 || textAt(document, '/status') !== 'Success') return unknown;
  const status = textAt(document, '/data/status');
  if (status === 'Success') return { kind: 'success' };
  return status === 'Failed' ? failed('rejected') : unknown;
}

/** The cost of the only top-up: `NGN 100.0000` less the discount of `NGN 4.0000`. */
function costOf(document: unknown): Cost | undefined {
  const [amount, discount] = ['amount', 'discount'].map((name) =>
    parsePrice(textAt(document, `/responses/0/${name}`) ?? ''),
  );
  if (!amount || amount.currency !== discount?.currency || discount.micros > amount.micros) return undefined;
  return { ...amount, micros: amount.micros - discount.micros };
}
