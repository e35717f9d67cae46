import { type NumberAt, numbersOf, plainNumber } from './hostile-numbers.js';

/** The limit of the body of `POST /sms/send`. */
export const maxBody = 1024 * 1024;
const depth = 100_000;
/** Short enough to be compared with the names of declared fields. */
const nameLength = 40;

const message = { recipients: plainNumber(0), content: 'Hello' };

/** An ordinary message. */
export const messageBody = (request: number): string =>
  JSON.stringify({ ...message, recipients: plainNumber(request) });

/** A message in a body of so many bytes. The field that fills it is ignored. */
export function plainBody(bytes: number): string {
  const empty = JSON.stringify({ ...message, padding_of_the_body: '' });
  return JSON.stringify({ ...message, padding_of_the_body: 'x'.repeat(Math.max(0, bytes - empty.length)) });
}

/** One number that consists of spaces. */
export const spacesBody = JSON.stringify({
  content: 'x',
  recipients: `1${' '.repeat(maxBody - 40)}1`,
});

export const deepBody = '['.repeat(depth) + ']'.repeat(depth);

const fieldName = (index: number): string =>
  `field_${index}_`.padEnd(nameLength, 'recipients_content_sender_');

/** A message with further fields, which no other request has. 1,400 are 63 KB. */
export const fieldsBody =
  (count: number) =>
  (request: number): string =>
    JSON.stringify({
      ...message,
      ...Object.fromEntries(
        Array.from({ length: count }, (_, index) => [fieldName(request * count + index), 1]),
      ),
    });

/** A message to 1,000 numbers. */
export const recipientsBody =
  (numberAt: NumberAt) =>
  (request: number): string =>
    JSON.stringify({ ...message, recipients: numbersOf(numberAt, request).join(',') });

const messagesPerWebhook = 500;

/** A webhook of WhatsApp with messages to numbers that belong to no organisation. */
export const webhookBody =
  (numberAt: NumberAt) =>
  (request: number): string =>
    JSON.stringify({
      object: 'whatsapp_business_account',
      entry: [
        {
          id: '1',
          changes: numbersOf(numberAt, request, messagesPerWebhook).map((number, index) => ({
            field: 'messages',
            value: {
              messaging_product: 'whatsapp',
              metadata: { display_phone_number: number.slice(1), phone_number_id: '1' },
              messages: [
                {
                  from: number.slice(1),
                  id: `wamid.${request}.${index}`,
                  timestamp: '1750263773',
                  type: 'text',
                  text: { body: 'x' },
                },
              ],
            },
          })),
        },
      ],
    });
