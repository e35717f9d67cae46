import type { FakeReply } from './fake-provider.js';
import type { FakeAirtimeScript } from './fake-airtime.js';

export interface VtpassAccount {
  readonly apiKey: string;
  readonly publicKey: string;
  readonly secretKey: string;
  /** In naira. */
  readonly balance?: number;
}

const lagosOffsetMs = 3_600_000;
const maxSkewMs = 300_000;

/**
 * Answers as https://www.vtpass.com/documentation/mtn-airtime-vtu-api/, /buying-services/, /authentication/ and
 * /response-codes/ say. It refuses a request id that it has seen, or that does not begin with the time in Lagos.
 */
export const fakeVtpass = (account: VtpassAccount): FakeAirtimeScript => ({
  path: '/api',
  reportsPayments: true,
  read: ({ path, headers, body }, isKnown) => {
    const isPost = path === '/api/pay' || path === '/api/requery';
    const key = isPost ? headers['secret-key'] : headers['public-key'];
    if (headers['api-key'] !== account.apiKey || key !== (isPost ? account.secretKey : account.publicKey))
      return vtpassError('087', 'INVALID CREDENTIALS');
    if (path === '/api/balance')
      return { status: 200, body: { code: 1, contents: { balance: account.balance ?? 100_000 } } };
    if (!isPost) return { status: 404, body: 'Not found' };
    const { request_id: reference = '', ...payment } = JSON.parse(body) as Record<string, string>;
    if (path === '/api/requery') return { call: 'query', reference };
    const refusal = isKnown(reference)
      ? vtpassError('014', 'REQUEST ID ALREADY EXIST')
      : faultOf(reference, payment);
    return { call: 'pay', reference, refusal };
  },
  answer: (call, reference, topUp) => {
    if (topUp === undefined) return vtpassError('015', 'INVALID REQUEST ID');
    if (topUp === 'refused') return vtpassError('016', 'TRANSACTION FAILED');
    if (topUp === 'pending') return vtpassError('099', 'TRANSACTION IS PROCESSING');
    return vtpassStatus(reference, 'delivered');
  },
});

export const vtpassStatus = (requestId: string, status: string, code = '000'): FakeReply => ({
  status: 200,
  body: {
    code,
    response_description: 'TRANSACTION SUCCESSFUL',
    requestId,
    amount: '100.00',
    content: { transactions: { status, product_name: 'MTN Airtime VTU', transactionId: `17${requestId}` } },
  },
});

export const vtpassError = (code: string, text = code): FakeReply => ({
  status: 200,
  body: { code, response_description: text },
});

function faultOf(requestId: string, payment: Readonly<Record<string, unknown>>): FakeReply | undefined {
  const lagos = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)[A-Za-z0-9]*$/.exec(requestId);
  const [, year, month, day, hour, minute] = (lagos ?? []).map(Number);
  const time = lagos ? Date.UTC(year ?? 0, (month ?? 0) - 1, day, hour, minute) - lagosOffsetMs : 0;
  if (Math.abs(Date.now() - time) > maxSkewMs) return vtpassError('085', 'IMPROPER REQUEST ID');
  const isValid =
    typeof payment['amount'] === 'number' &&
    /^0\d{10}$/.test(String(payment['phone'])) &&
    payment['serviceID'];
  return isValid ? undefined : vtpassError('011', 'INVALID ARGUMENTS');
}
