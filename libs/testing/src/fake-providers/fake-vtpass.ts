import type { FakeReply } from './fake-provider.js';
import type { FakeAirtimeScript } from './fake-airtime.js';

export interface VtpassAccount {
  readonly apiKey: string;
  readonly publicKey: string;
  readonly secretKey: string;
  /** In naira. */
  readonly balance?: number;
  /** In percent of the amount; without it no answer has a price. */
  readonly commission?: number;
  /** The data bundles, by service. */
  readonly variations?: VtpassVariations;
}

export type VtpassVariations = Record<string, readonly VtpassVariation[]>;

export interface VtpassVariation {
  readonly variation_code: string;
  readonly name: string;
  readonly variation_amount: string;
  readonly fixedPrice: string;
}

const bundle = (variation_code: string, name: string, variation_amount: string): VtpassVariation => ({
  variation_code,
  name,
  variation_amount,
  fixedPrice: 'Yes',
});

/** Some of the bundles on /mtn-data/ and /glo-data-api/. */
export const vtpassVariations = (): VtpassVariations => ({
  'mtn-data': [
    bundle('mtn-10mb-100', 'N100 100MB - 24 hrs', '100.00'),
    bundle('mtn-100mb-1000', 'N1000 1.5GB - 30 days', '1000.00'),
  ],
  'glo-data': [bundle('glo100', 'Glo Data N100 -  105MB - 2 day', '100.00')],
  'airtel-data': [],
  'etisalat-data': [],
});

const lagosOffsetMs = 3_600_000;
const maxSkewMs = 300_000;

/**
 * Answers as https://www.vtpass.com/documentation/mtn-airtime-vtu-api/, /mtn-data/, /variation-codes/, /buying-services/,
 * /authentication/ and /response-codes/ say. It refuses a request id that it has seen, or that does not begin with the time in Lagos.
 */
export const fakeVtpass = ({
  variations = vtpassVariations(),
  ...account
}: VtpassAccount): FakeAirtimeScript => {
  const amounts = new Map<string, number>();
  return {
    path: '/api',
    reportsPayments: true,
    read: ({ path, headers, body }, isKnown) => {
      const isPost = path === '/api/pay' || path === '/api/requery';
      const key = isPost ? headers['secret-key'] : headers['public-key'];
      if (headers['api-key'] !== account.apiKey || key !== (isPost ? account.secretKey : account.publicKey))
        return vtpassError('087', 'INVALID CREDENTIALS');
      if (path === '/api/balance')
        return { status: 200, body: { code: 1, contents: { balance: account.balance ?? 100_000 } } };
      const [, service] = /^\/api\/service-variations\?serviceID=([a-z-]+)$/.exec(path ?? '') ?? [];
      if (service !== undefined) return listOf(service, variations[service]);
      if (!isPost) return { status: 404, body: 'Not found' };
      const { request_id: reference = '', ...payment } = JSON.parse(body) as Record<string, string>;
      if (path === '/api/requery') return { call: 'query', reference };
      amounts.set(reference, Number(payment['amount']));
      const refusal = isKnown(reference)
        ? vtpassError('014', 'REQUEST ID ALREADY EXIST')
        : faultOf(reference, payment, variations);
      return { call: 'pay', reference, refusal };
    },
    answer: (call, reference, topUp) => {
      if (topUp === undefined) return vtpassError('015', 'INVALID REQUEST ID');
      if (topUp === 'refused') return vtpassError('016', 'TRANSACTION FAILED');
      if (topUp === 'pending') return vtpassError('099', 'TRANSACTION IS PROCESSING');
      const { commission } = account;
      const price = commission === undefined ? {} : priceOf(amounts.get(reference) ?? 0, commission);
      return vtpassStatus(reference, 'delivered', undefined, price);
    },
  };
};

/** What our wallet pays is the amount less the commission. */
const priceOf = (amount: number, percent: number): object => {
  const commission = Math.round(amount * percent) / 100;
  return {
    unit_price: amount,
    quantity: 1,
    commission,
    total_amount: amount - commission,
    discount: null,
    amount,
  };
};

export const vtpassStatus = (
  requestId: string,
  status: string,
  code = '000',
  price: object = {},
): FakeReply => ({
  status: 200,
  body: {
    code,
    response_description: 'TRANSACTION SUCCESSFUL',
    requestId,
    amount: '100.00',
    content: {
      transactions: { status, product_name: 'MTN Airtime VTU', transactionId: `17${requestId}`, ...price },
    },
  },
});

export const vtpassError = (code: string, text = code): FakeReply => ({
  status: 200,
  body: { code, response_description: text },
});

const listOf = (serviceID: string, variations: readonly VtpassVariation[] | undefined): FakeReply =>
  variations
    ? {
        status: 200,
        body: {
          response_description: '000',
          content: { ServiceName: serviceID, serviceID, convinience_fee: '0 %', variations },
        },
      }
    : { status: 200, body: { response_description: '012', content: { errors: 'PRODUCT DOES NOT EXIST' } } };

function faultOf(
  requestId: string,
  payment: Readonly<Record<string, unknown>>,
  variations: VtpassVariations,
): FakeReply | undefined {
  const lagos = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)[A-Za-z0-9]*$/.exec(requestId);
  const [, year, month, day, hour, minute] = (lagos ?? []).map(Number);
  const time = lagos ? Date.UTC(year ?? 0, (month ?? 0) - 1, day, hour, minute) - lagosOffsetMs : 0;
  if (Math.abs(Date.now() - time) > maxSkewMs) return vtpassError('085', 'IMPROPER REQUEST ID');
  const isValid =
    typeof payment['amount'] === 'number' &&
    /^0\d{10}$/.test(String(payment['phone'])) &&
    payment['serviceID'];
  if (!isValid) return vtpassError('011', 'INVALID ARGUMENTS');
  const service = String(payment['serviceID']);
  if (!service.endsWith('-data')) return undefined;
  if (payment['billersCode'] !== payment['phone']) return vtpassError('011', 'INVALID ARGUMENTS');
  const isListed = variations[service]?.some((one) => one.variation_code === payment['variation_code']);
  return isListed ? undefined : vtpassError('010', 'VARIATION CODE DOES NOT EXIST');
}
