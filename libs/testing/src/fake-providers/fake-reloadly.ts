import type { FakeReply } from './fake-provider.js';
import type { FakeAirtimeScript } from './fake-airtime.js';

/** An operator, as far as we read it. */
export interface ReloadlyOperator {
  readonly operatorId: number;
  readonly name: string;
  readonly bundle: boolean;
  readonly data: boolean;
  readonly pin: boolean;
  readonly denominationType: 'FIXED' | 'RANGE';
  readonly senderCurrencyCode: string;
  readonly destinationCurrencyCode: string;
  readonly fixedAmounts: readonly number[];
  readonly fixedAmountsDescriptions: Readonly<Record<string, string>>;
  readonly localFixedAmounts: readonly number[] | null;
  readonly localFixedAmountsDescriptions: Readonly<Record<string, string>> | null;
  readonly status: string;
}

const dataOperator: ReloadlyOperator = {
  operatorId: 345,
  name: 'MTN Nigeria Data',
  bundle: false,
  data: true,
  pin: false,
  denominationType: 'FIXED',
  senderCurrencyCode: 'NGN',
  destinationCurrencyCode: 'NGN',
  fixedAmounts: [500, 1000.5],
  fixedAmountsDescriptions: { '500.00': 'MTN\t750MB\t7 days Xtradata 500', '1000.50': '2.5GB 2-Day Plan' },
  localFixedAmounts: [],
  localFixedAmountsDescriptions: null,
  status: 'ACTIVE',
};

/** The operators of airtime. There is none for NTEL. */
const airtimeOperators = [
  { operatorId: 341, name: 'MTN Nigeria' },
  { operatorId: 344, name: 'Glo Nigeria' },
  { operatorId: 342, name: 'Airtel Nigeria' },
  { operatorId: 340, name: '9Mobile (Etisalat) Nigeria' },
].map((operator): ReloadlyOperator => ({
  ...dataOperator,
  ...operator,
  data: false,
  denominationType: 'RANGE',
  fixedAmounts: [],
  fixedAmountsDescriptions: {},
}));

/** Operators of an account in naira. */
export const reloadlyOperators = (): ReloadlyOperator[] => [
  dataOperator,
  ...airtimeOperators,
  {
    ...dataOperator,
    operatorId: 647,
    name: 'Glo Nigeria Data',
    fixedAmounts: [0.35],
    fixedAmountsDescriptions: { '0.35': 'not naira' },
    senderCurrencyCode: 'USD',
    localFixedAmounts: [500],
    localFixedAmountsDescriptions: { '500.00': '1.05GB 14 days' },
  },
];

const token = 'a-fake-access-token';

/**
 * Answers as the pages below https://docs.reloadly.com/airtime say: the access token, operators/operators-by-iso, top-ups/top-up,
 * top-ups/top-up-status, transactions/get-transaction, account-balance. Status goes by its own id.
 */
export const fakeReloadly = (
  clientId: string,
  clientSecret: string,
  /** The lines of the report. A broken one makes its page fail. */
  transactions: () => readonly object[] = () => [],
  operators = reloadlyOperators(),
): FakeAirtimeScript => {
  const amounts = new Map<string, number>();
  const transactionOf = (reference: string, status: string): object => ({
    transactionId: idOf(reference),
    status,
    customIdentifier: reference,
    countryCode: 'NG',
    operatorId: 341,
    operatorName: 'MTN Nigeria',
    ...priceOf(amounts.get(reference) ?? 0),
  });
  return {
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
      const payment = JSON.parse(body) as Payment;
      const { customIdentifier: reference } = payment;
      amounts.set(reference, payment.amount);
      const refusal = isKnown(reference)
        ? errorOf(400, 'CUSTOM_IDENTIFIER_ALREADY_USED')
        : faultOf(payment, operators);
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
  };
};

/** The rate of an account in dollars, and its discount. */
const [nairaPerDollar, discountPercent] = [1_600, 4];

/** In the currency of our account: what was requested, less the discount, is taken from its balance. */
function priceOf(naira: number): object {
  const requestedAmount = naira / nairaPerDollar;
  const discount = (requestedAmount * discountPercent) / 100;
  const cost = Number((requestedAmount - discount).toFixed(5));
  return {
    discount,
    discountCurrencyCode: 'USD',
    requestedAmount,
    requestedAmountCurrencyCode: 'USD',
    deliveredAmount: naira,
    deliveredAmountCurrencyCode: 'NGN',
    fee: 0,
    balanceInfo: { oldBalance: 550.75, newBalance: 550.75 - cost, cost, currencyCode: 'USD' },
  };
}

interface Payment {
  readonly customIdentifier: string;
  readonly operatorId: unknown;
  readonly amount: number;
  readonly useLocalAmount: boolean;
}

/** An operator of data sells its fixed amounts only. */
function faultOf(
  { operatorId, amount, useLocalAmount }: Payment,
  operators: readonly ReloadlyOperator[],
): FakeReply | undefined {
  if (typeof operatorId !== 'number') return errorOf(400, 'INVALID_AMOUNT');
  const operator = operators.find((one) => one.operatorId === operatorId);
  if (!operator?.data) return undefined;
  const amounts = useLocalAmount ? (operator.localFixedAmounts ?? []) : operator.fixedAmounts;
  return amounts.includes(amount) ? undefined : errorOf(400, 'INVALID_AMOUNT_FOR_OPERATOR');
}

export const reloadlyError = (status: number, code: string): FakeReply => errorOf(status, code);

const statusOf = (topUp: string): string =>
  topUp === 'delivered' ? 'SUCCESSFUL' : topUp === 'pending' ? 'PROCESSING' : 'REFUNDED';

/** A page as Spring makes them: numbered from 1, with the number of all lines. */
function pageOf(path: string, transactions: readonly object[]): FakeReply {
  const { searchParams } = new URL(path, 'http://fake');
  const [page, size] = [Number(searchParams.get('page')), Number(searchParams.get('size'))];
  const content = transactions.slice((page - 1) * size, page * size);
  if (content.some((transaction) => 'broken' in transaction)) return { status: 500, body: 'Error' };
  return { status: 200, body: { content, totalElements: transactions.length } };
}

/** The id at Reloadly; different for every reference. */
const idOf = (reference: string): string => `9${Buffer.from(reference).toString('hex')}`;
const referenceOf = (id: string): string => Buffer.from(id.slice(1), 'hex').toString();

const errorOf = (status: number, errorCode: string): FakeReply => ({
  status,
  body: { timeStamp: '2026-11-17 04:00:00', message: errorCode, path: '/topups', errorCode, details: [] },
});
