import { parseNaira } from '@gangan/billing';
import { type AirtimeReasonCode, type Network, networks } from '@gangan/contracts';
import {
  type Answer,
  type Cost,
  costLessCommission,
  type CreditSource,
  type HttpExchange,
  notFoundAfterMs,
  parseJson,
  parsePrice,
  readCredit,
  textAt,
  valueAt,
  vtpassReference,
  type VtpassSettings,
  warnBelowMicros,
} from '@gangan/providers';
import type {
  AirtimeProvider,
  ProductLists,
  ProviderProduct,
  QueryResult,
  SubmitResult,
  TopUp,
  TopUpQuery,
  TopUpResult,
} from './airtime-provider.js';
import { declined, failed, notMade, refused, unknown, unknownAfter, withoutAnswer } from './http-answers.js';
import { listLimits, readProducts } from './product-lists.js';

const defaultUrl = 'https://api-service.vtpass.com/api';
const services: Readonly<Partial<Record<Network, string>>> = {
  MTN: 'mtn',
  Airtel: 'airtel',
  Glo: 'glo',
  '9mobile': 'etisalat',
};
const dataServices: Readonly<Partial<Record<Network, string>>> = {
  MTN: 'mtn-data',
  Airtel: 'airtel-data',
  Glo: 'glo-data',
  '9mobile': 'etisalat-data',
};

/**
 * Codes of a purchase that was not made, as https://www.vtpass.com/documentation/response-codes/ lists them. Not among them:
 * 020 biller confirmed, 030 biller not reachable, 040 transaction reversal. The biller may have been called: a requery decides.
 */
const failures: Readonly<Record<string, AirtimeReasonCode>> = {
  '010': 'rejected', // variation code does not exist
  '011': 'rejected', // invalid arguments
  '012': 'not_available', // product does not exist
  '013': 'invalid_amount', // below minimum
  '016': 'rejected', // transaction failed
  '017': 'invalid_amount', // above maximum
  '031': 'invalid_amount', // below minimum quantity
  '032': 'invalid_amount', // above maximum quantity
  '034': 'not_available', // service suspended
  '035': 'not_available', // service inactive
  '091': 'rejected', // not processed, not charged
};

const productNotAllowed = '028';

/**
 * Our account is at fault, and nothing was bought: 018 low wallet balance, 021 locked, 022 suspended, 023 no access to the API,
 * 024 inactive, 027 address not allowed, 028 product not allowed, 085 improper request id, 087 invalid credentials.
 */
const accountCodes: ReadonlySet<string> = new Set([
  ...['018', '021', '022', '023', '024', '027', productNotAllowed, '085', '087'],
]);

/**
 * VTpass, as https://www.vtpass.com/documentation/mtn-airtime-vtu-api/, /mtn-data/, /variation-codes/, /buying-services/
 * (request id), /authentication/ and /response-codes/ say. Its balance is not on these pages: the request is that of public clients.
 */
export class Vtpass implements AirtimeProvider {
  readonly credit: CreditSource;
  private readonly url: string;

  constructor(
    readonly name: string,
    private readonly settings: VtpassSettings,
    private readonly http: Pick<HttpExchange, 'send' | 'limitsOf'>,
  ) {
    this.url = settings.url ?? defaultUrl;
    this.credit = { warnBelow: warnBelowMicros(settings.credit?.warnBelow), ask: () => this.askCredit() };
  }

  serves(network: Network): boolean {
    return this.serviceOf(network) !== undefined;
  }

  referenceFor(purchaseId: string, now: Date): string {
    return vtpassReference(purchaseId, now);
  }

  costOf(network: Network, kobo: bigint): Cost | undefined {
    return costLessCommission(this.settings.commission, network, kobo);
  }

  /** The price of a data bundle is that of its variation: its amount is ignored. */
  async submit(topUp: TopUp, signal: AbortSignal): Promise<SubmitResult> {
    const { reference, network, recipient, kobo, product } = topUp;
    const phone = recipient.replace(/^\+234/, '0');
    const bundle = { serviceID: dataServices[network], billersCode: phone, variation_code: product };
    const json = {
      request_id: reference,
      ...(product === undefined ? { serviceID: this.serviceOf(network) } : bundle),
      amount: Number(kobo) / 100,
      phone,
    };
    const exchange = await this.post('/pay', json, signal);
    return 'call' in exchange ? withoutAnswer(exchange.call) : readVtpassPayment(exchange.answer, product);
  }

  async query({ reference }: TopUpQuery, signal: AbortSignal): Promise<QueryResult> {
    const exchange = await this.post('/requery', { request_id: reference }, signal);
    return 'call' in exchange ? unknown : readVtpassQuery(exchange.answer);
  }

  private post(path: string, json: object, signal: AbortSignal) {
    const headers = { 'api-key': '{secret.api_key}', 'secret-key': '{secret.secret_key}' };
    return this.http.send({ url: this.url + path, headers, json }, {}, this.http.limitsOf(signal));
  }

  async products(signal: AbortSignal): Promise<ProductLists> {
    const read = async (network: Network) => {
      const service = dataServices[network];
      if (service === undefined) return [];
      const path = `/service-variations?serviceID=${service}`;
      const exchange = await this.get(path, { ...this.http.limitsOf(signal), ...listLimits });
      return [[network, 'call' in exchange ? undefined : readVtpassProducts(exchange.answer)] as const];
    };
    return new Map((await Promise.all(networks.map(read))).flat());
  }

  private get(path: string, limits: ReturnType<HttpExchange['limitsOf']>) {
    const headers = { 'api-key': '{secret.api_key}', 'public-key': '{secret.public_key}' };
    return this.http.send({ method: 'GET', url: this.url + path, headers }, {}, limits);
  }

  private async askCredit() {
    const exchange = await this.get('/balance', this.http.limitsOf(undefined));
    return 'call' in exchange
      ? undefined
      : readCredit({ amount: '/contents/balance', currency: 'NGN' }, exchange.answer);
  }

  private serviceOf(network: Network): string | undefined {
    return this.settings.services?.[network] ?? services[network];
  }
}

/** The page spells the list in two ways. A bundle without a fixed price is not sold. */
export function readVtpassProducts({ status, text }: Answer): readonly ProviderProduct[] | undefined {
  const document = parseJson(text);
  const list = valueAt(document, '/content/variations') ?? valueAt(document, '/content/varations');
  if (status > 299 || !Array.isArray(list)) return undefined;
  return readProducts(
    list.map((item) => {
      const isFixed = textAt(item, '/fixedPrice') === 'Yes';
      const kobo = isFixed ? parseNaira(textAt(item, '/variation_amount') ?? '') : undefined;
      return { code: textAt(item, '/variation_code'), name: textAt(item, '/name'), kobo };
    }),
  );
}

/**
 * What the answer to a purchase means. Everything that the page does not list is pending. Data bundles that our account may not
 * sell do not stop its airtime.
 */
export function readVtpassPayment(answer: Answer, product: string | undefined): SubmitResult {
  const document = parseJson(answer.text);
  const code = textAt(document, '/code') ?? '';
  if (code === '000') return readStatus(document);
  if (code === productNotAllowed && product !== undefined) return declined('not_available');
  if (accountCodes.has(code)) return refused;
  const failure = failures[code];
  if (failure !== undefined) return notMade(failure);
  return code === '' && (answer.status === 401 || answer.status === 403)
    ? refused
    : unknownAfter(answer.status);
}

/** What the answer to a requery means. An answer about our account says nothing about the purchase. */
export function readVtpassQuery({ text }: Answer): QueryResult {
  const document = parseJson(text);
  const code = textAt(document, '/code') ?? '';
  if (code === '000' || code === '001') return readStatus(document);
  if (code === '015') return { kind: 'not_found', finalAfterMs: notFoundAfterMs.vtpass };
  return code === '016' || code === '040' || code === '091' ? failed('rejected') : unknown;
}

function readStatus(document: unknown): TopUpResult {
  const id = textAt(document, '/content/transactions/transactionId');
  const providerReference = id === undefined ? {} : { providerReference: id };
  switch (textAt(document, '/content/transactions/status') ?? '') {
    case 'delivered': {
      // The amount less the commission.
      const cost = parsePrice(textAt(document, '/content/transactions/total_amount') ?? '', 'NGN');
      return { kind: 'success', ...providerReference, ...(cost && { cost }) };
    }
    case 'failed':
    case 'reversed':
      return failed('rejected');
    default:
      return { kind: 'unknown', ...providerReference };
  }
}
