import type { FakeScript } from './fake-provider.js';
import type { FakeMessage, FakeRefusal } from './fake-message.js';

/** The names on https://developers.africastalking.com/docs/sms/sending/bulk. */
const names: Readonly<Record<string, string>> = {
  401: 'RiskHold',
  402: 'InvalidSenderId',
  403: 'InvalidPhoneNumber',
  404: 'UnsupportedNumberType',
  405: 'InsufficientBalance',
  406: 'UserInBlacklist',
  407: 'CouldNotRoute',
  409: 'DoNotDisturbRejection',
  500: 'InternalServerError',
  501: 'GatewayError',
  502: 'RejectedByGateway',
};

/** Answers as the page on bulk SMS says. A code that is not a number refuses the request as a whole. */
export const fakeAfricasTalking = (
  apiKey: string,
  username: string,
): FakeScript<FakeMessage, FakeRefusal> => ({
  path: '/version1/messaging',
  credit: ({ path, headers }) =>
    path === `/version1/user?username=${username}` && headers['apikey'] === apiKey
      ? { status: 200, body: { UserData: { balance: 'KES 1785.50' } } }
      : undefined,
  read: ({ body, headers }) => {
    const { to = '', from = '', message = '', ...form } = Object.fromEntries(new URLSearchParams(body));
    const isKnown = headers['apikey'] === apiKey && form['username'] === username;
    return isKnown && headers.accept === 'application/json'
      ? to.split(',').map((recipient) => ({ to: recipient, from, text: message }))
      : { status: 401, body: 'The supplied authentication is invalid' };
  },
  check: ({ to, text }) => (/^\+\d{8,15}$/.test(to) && text !== '' ? undefined : { code: '403' }),
  answer: (results) => {
    const whole = results.find(
      ({ refusal }) => refusal && (refusal.status || !/^\d+$/.test(refusal.code)),
    )?.refusal;
    if (whole?.status) return { status: whole.status, body: whole.code };
    if (whole) return { status: 201, body: { SMSMessageData: { Message: whole.code, Recipients: [] } } };
    const sent = results.filter(({ refusal }) => !refusal).length;
    const recipients = results.map(({ message: { to }, number, refusal }) => {
      const code = refusal?.code ?? '101';
      const isSent = code < '400';
      return {
        statusCode: Number(code),
        number: to,
        status: names[code] ?? 'Success',
        cost: isSent ? 'KES 0.8000' : '0',
        messageId: isSent ? `ATXid_${number}` : 'None',
      };
    });
    const summary = `Sent to ${sent}/${results.length} Total Cost: KES ${(sent * 0.8).toFixed(4)}`;
    // https://developers.africastalking.com/docs/sms/notifications: 409 is also the status of the answer.
    const status = results.every(({ refusal }) => refusal?.code === '409') ? 409 : 201;
    return { status, body: { SMSMessageData: { Message: summary, Recipients: recipients } } };
  },
});
