import type { FakeReply } from './fake-provider.js';
import type { FakeAirtimeScript } from './fake-airtime.js';

/** It has no operator for NTEL. */
const operators = [
  { operatorId: 646, name: 'MTN Nigeria Data', data: true },
  { operatorId: 341, name: 'MTN Nigeria' },
  { operatorId: 344, name: 'Glo Nigeria' },
  { operatorId: 342, name: 'Airtel Nigeria' },
  { operatorId: 340, name: '9Mobile (Etisalat) Nigeria' },
].map((operator) => ({ bundle: false, data: false, pin: false, ...operator }));
const token = 'a-fake-access-token';

/**
 * Answers as the pages below https://docs.reloadly.com/airtime say: the access token, operators/operators-by-iso, top-ups/top-up,
 * top-ups/top-up-status, transactions/get-transaction, account-balance. Status goes by its own id.
 */
export const fakeReloadly = (
  clientId: string,
  clientSecret: string,
  /** Of the report. A broken one makes its page fail. */
  transactions: () => readonly object[] = () => [],
): FakeAirtimeScript => ({
  path: '',
  reportsPayments: true,
  read: ({ path = '', headers, body }, isKnown) => {
    if (path === '/oauth/token') {
      const given = JSON.parse(body) as Record<string, string>;
      return given['client_id'] === clientId && given['client_secret'] === clientSecret
        ? { status: 200, body: { access_token: token, expires_in: 5_184_000, token_type: 'Bearer' } }
        : errorOf(401, 'INVALID_CREDENTIALS');
    }
    if (headers.authorization !== `Bearer ${token}`) return errorOf(401, 'INVALID_TOKEN');
    if (path === '/accounts/balance')
      return { status: 200, body: { balance: 550.75, currencyCode: 'USD', currencyName: 'US Dollar' } };
    if (path.startsWith('/operators/countries/NG?')) return { status: 200, body: operators };
    const [, id] = /^\/topups\/(.+)\/status$/.exec(path) ?? [];
    if (id !== undefined) return { call: 'query', reference: referenceOf(id) };
    const [, searched] = /^\/topups\/reports\/transactions\?customIdentifier=(.+)$/.exec(path) ?? [];
    if (searched !== undefined) return { call: 'report', reference: searched };
    if (path.startsWith('/topups/reports/transactions?')) return pageOf(path, transactions());
    const { customIdentifier: reference, operatorId } = JSON.parse(body) as {
      customIdentifier: string;
      operatorId: unknown;
    };
    const refusal = isKnown(reference)
      ? errorOf(400, 'CUSTOM_IDENTIFIER_ALREADY_USED')
      : typeof operatorId === 'number'
        ? undefined
        : errorOf(400, 'INVALID_AMOUNT');
    return { call: 'pay', reference, refusal };
  },
  answer: (call, reference, topUp) => {
    if (call === 'report') {
      const content = topUp === undefined ? [] : [transactionOf(reference, statusOf(topUp))];
      return { status: 200, body: { content, totalElements: content.length } };
    }
    if (topUp === undefined) return errorOf(404, 'TRANSACTION_NOT_FOUND');
    if (call === 'pay' && topUp === 'refused') return errorOf(400, 'TOPUP_TRANSACTION_FAILED');
    const transaction = transactionOf(reference, statusOf(topUp));
    return { status: 200, body: call === 'pay' ? transaction : { status: statusOf(topUp), transaction } };
  },
});

export const reloadlyError = (status: number, code: string): FakeReply => errorOf(status, code);

const statusOf = (topUp: string): string =>
  topUp === 'delivered' ? 'SUCCESSFUL' : topUp === 'pending' ? 'PROCESSING' : 'REFUNDED';

/** As Spring's pages: from 1, with the number of all lines. */
function pageOf(path: string, transactions: readonly object[]): FakeReply {
  const { searchParams } = new URL(path, 'http://fake');
  const [page, size] = [Number(searchParams.get('page')), Number(searchParams.get('size'))];
  const content = transactions.slice((page - 1) * size, page * size);
  if (content.some((transaction) => 'broken' in transaction)) return { status: 500, body: 'Error' };
  return { status: 200, body: { content, totalElements: transactions.length } };
}

/** Their id; different for every reference. */
const idOf = (reference: string): string => `9${Buffer.from(reference).toString('hex')}`;
const referenceOf = (id: string): string => Buffer.from(id.slice(1), 'hex').toString();

const transactionOf = (reference: string, status: string): object => ({
  transactionId: idOf(reference),
  status,
  customIdentifier: reference,
  countryCode: 'NG',
  operatorId: 341,
  operatorName: 'MTN Nigeria',
});

const errorOf = (status: number, errorCode: string): FakeReply => ({
  status,
  body: { timeStamp: '2026-11-17 04:00:00', message: errorCode, path: '/topups', errorCode, details: [] },
});
