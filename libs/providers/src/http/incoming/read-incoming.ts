import type { Channel } from '@gangan/contracts';
import { itemsAt } from '../inbound-document.js';
import { textAt, valueAt } from '../json-values.js';
import type { IncomingSettings } from './incoming-settings.js';
import { isTooLong } from './name-length.js';
import { readTime } from './read-time.js';

/** A message to one of our numbers, as its provider describes it. */
export interface ReadMessage {
  readonly channel: Channel;
  /** Who sent it: a phone number, or another id. */
  readonly from: string;
  /** The number that received it. */
  readonly to: string;
  /** `text`, or another type of the provider. */
  readonly type: string;
  /** Absent if the message has no text. */
  readonly text?: string | undefined;
  /** The provider's id of the message. */
  readonly reference?: string | undefined;
  readonly sentAt?: Date | undefined;
}

export interface ReadMessages {
  readonly messages: readonly ReadMessage[];
  /** Why a message could not be read, without its values. */
  readonly faults: readonly string[];
  /** The items that are messages, also if they could not be read. */
  readonly items: ReadonlySet<unknown>;
}

/** More than fit into the largest request. */
export const maxMessages = 20_000;

/** Faults beyond these are not kept: operators read the first few. */
const maxFaults = 20;

/** Why a message cannot be read. */
export const noParties = 'a message has no sender, or no number that received it';
export const tooLong = 'the sender, the receiving number or the type of a message is too long';

export const noMessages: ReadMessages = { messages: [], faults: [], items: new Set() };

/** Reads the incoming messages of a request to a provider of the kind `http`. Pure. */
export function readIncoming(settings: IncomingSettings, document: unknown): ReadMessages {
  const items = (itemsAt(document, settings.list) ?? []).filter((item) => isMessage(settings, item));
  return readItems(
    items.map((item) => ({ item })),
    ({ item }) => readMessage(settings, item),
  );
}

/** @param read returns a message, or why it cannot be read */
export function readItems<Found extends { readonly item: unknown }>(
  found: readonly Found[],
  read: (one: Found) => ReadMessage | string,
): ReadMessages {
  const items = new Set(found.map(({ item }) => item));
  if (found.length > maxMessages)
    return { messages: [], faults: [`it has more than ${maxMessages} messages: ${found.length}`], items };
  const results = found.map(read);
  return {
    messages: results.filter((message) => typeof message === 'object'),
    faults: distinctFaults(results.filter((message) => typeof message === 'string')),
    items,
  };
}

export const distinctFaults = (faults: readonly string[]): readonly string[] =>
  [...new Set(faults)].slice(0, maxFaults);

function isMessage({ when, from, to, text }: IncomingSettings, item: unknown): boolean {
  if (!when) return [from, to, text].every((place) => textAt(item, place) !== undefined);
  const given = textAt(item, when.field);
  if (isTooLong(given)) return false;
  const found = given?.trim().toLowerCase();
  return when.values.some((value) => value.toLowerCase() === found);
}

function readMessage(settings: IncomingSettings, item: unknown): ReadMessage | string {
  const find = (place: string | undefined): string | undefined =>
    (place === undefined ? undefined : textAt(item, place)?.trim()) || undefined;
  if ([settings.from, settings.to].some((place) => isTooLong(textAt(item, place)))) return tooLong;
  const from = find(settings.from);
  const to = find(settings.to);
  if (from === undefined || to === undefined) return noParties;
  const text = valueAt(item, settings.text);
  return {
    channel: 'sms',
    from,
    to,
    type: 'text',
    text: typeof text === 'string' || typeof text === 'number' ? String(text) : undefined,
    reference: find(settings.id),
    sentAt: readTime(find(settings.time)),
  };
}
