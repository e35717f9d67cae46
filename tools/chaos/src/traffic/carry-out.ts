import type { Organisation } from '../system/organisations.js';
import type { CarefulClient } from './careful-client.js';
import type { Intent, IntentOf } from './intents.js';
import type { ClientAnswer, ClientRequest } from './requests.js';

export interface Customer extends Organisation {
  readonly callbackUrl: string;
  readonly smartlistId: string;
  readonly columns: Readonly<Record<'Name' | 'Email' | 'Mobile', string>>;
}

type Send = (
  step: string,
  path: string,
  body?: object,
  method?: ClientRequest['method'],
) => Promise<ClientAnswer>;

/** Carries out one intent. Each final answer is passed to `record`. */
export async function carryOut(
  intent: Intent,
  customer: Customer,
  client: CarefulClient,
  record: (answer: ClientAnswer) => void,
): Promise<void> {
  const send: Send = async (step, path, body, method = 'POST') => {
    const request = { intent, step, method, path, ...(body && { body }) };
    const answer = await client.send(request, customer.apiKey);
    record(answer);
    if (intent.asksAgain && isStored(answer)) record(await client.send(request, customer.apiKey, true));
    return answer;
  };
  const callback = 'callback' in intent && intent.callback ? { callback: customer.callbackUrl } : {};
  const common = { external_ref: intent.ref, ...callback };
  switch (intent.kind) {
    case 'sms':
      await send('send', '/sms/send', {
        ...common,
        recipients: intent.recipients.join(','),
        content: 'Your order has left.',
      });
      break;
    case 'smartlist':
      await send('send', '/sms/send', {
        ...common,
        smartlist_id: customer.smartlistId,
        content: 'Dear {{Name}}, we are open again.',
      });
      break;
    case 'otp':
      await verifyOtp(intent, send);
      break;
    case 'airtime':
      await buyAirtime(intent, common, send);
      break;
    case 'contact':
      await changeContact(intent, customer, send);
      break;
    case 'lookup':
      await send('lookup', `/lookup/phone?phone=${encodeURIComponent(intent.phone)}`, undefined, 'GET');
      break;
    case 'balance':
      await send('balance', '/balance', undefined, 'GET');
      break;
  }
}

/** The responses that the gateway stores for an `Idempotency-Key`. */
export const isStored = ({ status }: { readonly status: number }): boolean =>
  [200, 402, 404, 409].includes(status);

async function verifyOtp({ recipient, token, verify }: IntentOf<'otp'>, send: Send): Promise<void> {
  const { status, body } = await send('request', '/otp/request_token', { recipient, token });
  if (status !== 200) return;
  const { id } = body as { id: string };
  if (verify === 'wrong-first') await send('wrong', '/otp/verify', { id, token: `${token}0` });
  const right = ['right', ...(verify === 'twice' ? ['right-too'] : [])];
  await Promise.all(right.map((step) => send(step, '/otp/verify', { id, token })));
}

async function buyAirtime(intent: IntentOf<'airtime'>, common: object, send: Send): Promise<void> {
  const { recipient, naira, copies } = intent;
  const body = { ...common, network: 'MTN', recipient, amount: naira };
  const steps = ['buy', ...(copies === 2 ? ['buy-too'] : [])];
  await Promise.all(steps.map((step) => send(step, '/airtime/buy', body)));
}

async function changeContact({ ref }: IntentOf<'contact'>, { columns }: Customer, send: Send): Promise<void> {
  const { status, body } = await send('create', '/lists/contact/rows', { columns: { [columns.Name]: ref } });
  if (status !== 200) return;
  const path = `/lists/contact/rows/${(body as { row: { id: string } }).row.id}`;
  const patch = (step: string, column: string, cell: string) =>
    send(step, path, { columns: { [column]: cell } }, 'PATCH');
  await Promise.all([
    patch('email', columns.Email, `${ref}-1@example.com`),
    patch('mobile', columns.Mobile, '+2348031234567'),
  ]);
  await patch('email-again', columns.Email, `${ref}-2@example.com`);
}
