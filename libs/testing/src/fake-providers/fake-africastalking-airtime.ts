import type { FakeAirtimeScript } from './fake-airtime.js';
import type { FakeReply } from './fake-provider.js';

/**
 * Answers as https://docs.africastalking.com/airtime/sending, /idempotentrequests, /query/findtransaction and
 * /userdata/balance say. Our reference is the idempotency key; queries go by its own id.
 */
export const fakeAfricasTalkingAirtime = (apiKey: string, username: string): FakeAirtimeScript => {
  const amounts = new Map<string, number>();
  return {
    path: '/version1',
    reportsPayments: false,
    read: ({ path = '', headers, body }, isKnown) => {
      const { pathname, searchParams } = new URL(path, 'http://fake');
      const form = new URLSearchParams(body);
      const given = form.get('username') ?? searchParams.get('username');
      if (headers['apikey'] !== apiKey || given !== username)
        return { status: 401, body: 'The supplied authentication is invalid' };
      if (pathname === '/version1/user')
        return { status: 200, body: { UserData: { balance: 'NGN 1785.50' } } };
      const id = searchParams.get('transactionId');
      if (id !== null) return { call: 'query', reference: id.replace(/^ATQid_/, '') };
      const reference = String(headers['idempotency-key'] ?? '');
      const [recipient] = JSON.parse(form.get('recipients') ?? '[]') as {
        phoneNumber: string;
        amount: string;
      }[];
      amounts.set(reference, Number(recipient?.amount.replace('NGN ', '')));
      const isValid =
        /^.{8,100}$/.test(reference) &&
        /^\+\d{8,15}$/.test(recipient?.phoneNumber ?? '') &&
        /^NGN \d+\.\d\d$/.test(recipient?.amount ?? '');
      const refusal = isKnown(reference)
        ? africasTalkingFailure('A duplicate request was received within the last 5 minutes')
        : isValid
          ? undefined
          : africasTalkingFailure('Invalid Phone Number');
      return { call: 'pay', reference, refusal };
    },
    answer: (call, reference, topUp) => {
      if (call === 'pay')
        return topUp === 'refused'
          ? africasTalkingFailure('Value Outside The Allowed Limits')
          : sent(reference, amounts.get(reference) ?? 0);
      if (topUp === undefined) return { status: 200, body: { status: 'Failed', errorMessage: 'Not found' } };
      const status = { delivered: 'Success', refused: 'Failed', pending: 'PendingConfirmation' }[topUp];
      return {
        status: 200,
        body: { status: 'Success', data: { transactionId: `ATQid_${reference}`, status } },
      };
    },
  };
};

export const africasTalkingFailure = (errorMessage: string): FakeReply => ({
  status: 201,
  body: {
    errorMessage,
    numSent: 0,
    totalAmount: '0',
    totalDiscount: '0',
    responses: [
      { phoneNumber: '+2348031234567', errorMessage, amount: '0', status: 'Failed', requestId: 'None' },
    ],
  },
});

/** The discount is 4 percent. */
function sent(reference: string, naira: number): FakeReply {
  const [amount, discount] = [`NGN ${naira.toFixed(4)}`, `NGN ${(naira * 0.04).toFixed(4)}`];
  const response = {
    errorMessage: 'None',
    amount,
    discount,
    status: 'Sent',
    requestId: `ATQid_${reference}`,
  };
  return {
    status: 201,
    body: {
      errorMessage: 'None',
      numSent: 1,
      totalAmount: amount,
      totalDiscount: discount,
      responses: [response],
    },
  };
}
