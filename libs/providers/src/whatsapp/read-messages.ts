import { isTooLong } from '../http/incoming/name-length.js';
import {
  noParties,
  readItems,
  type ReadMessage,
  type ReadMessages,
  tooLong,
} from '../http/incoming/read-incoming.js';
import { readTime } from '../http/incoming/read-time.js';
import { listAt, textAt, valueAt } from '../http/json-values.js';

/** Where the text of a message can be, apart from the caption of its type. */
const textPlaces = [
  '/text/body',
  '/button/text',
  '/interactive/button_reply/title',
  '/interactive/list_reply/title',
  '/reaction/emoji',
];

/** Reads the messages of a webhook of WhatsApp. Pure. */
export function readWhatsAppMessages(document: unknown): ReadMessages {
  const found = (listAt(document, '/entry/*/changes') as readonly unknown[]).flatMap((change) => {
    const messages = valueAt(change, '/value/messages');
    const to = textAt(change, '/value/metadata/display_phone_number');
    return Array.isArray(messages) ? messages.map((item: unknown) => ({ item, to })) : [];
  });
  return readItems(found, ({ item, to }) => readMessage(item, to));
}

/** A user with a user name may have no phone number, but always has an id. */
function readMessage(item: unknown, to: string | undefined): ReadMessage | string {
  const find = (...places: readonly string[]): string | undefined =>
    places.map((place) => textAt(item, place)).find((text) => text !== undefined && text !== '');
  const from = find('/from', '/from_user_id', '/user_id');
  if (from === undefined || to === undefined) return noParties;
  const type = find('/type') ?? 'unknown';
  if ([from, to, type].some(isTooLong)) return tooLong;
  return {
    channel: 'whatsapp',
    from: asPhone(from),
    to: asPhone(to),
    type,
    text: find(...textPlaces, `/${type.replaceAll('~', '~0').replaceAll('/', '~1')}/caption`),
    reference: find('/id'),
    sentAt: readTime(find('/timestamp')),
  };
}

/** WhatsApp writes phone numbers without the `+`. */
const asPhone = (text: string): string => (/^\d{6,15}$/.test(text.trim()) ? `+${text.trim()}` : text);
