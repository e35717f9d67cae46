import { parsePhone, recipientFault, recipientsIn } from '@gangan/contracts';
import type { FieldError } from '@gangan/protocol';
import type { Recipient } from '../message-text.js';
import { inSlices } from './in-slices.js';

export interface Recipients {
  /** In their order; of several spellings of one number, the first. */
  readonly all: readonly Recipient[];
  readonly faults: readonly FieldError[];
}

export async function readRecipients(text: string): Promise<Recipients> {
  const items = recipientsIn(text);
  const numbers = new Map<string, Recipient>();
  const faults: FieldError[] = [];
  await inSlices(items, (item, place) => {
    const phone = parsePhone(item);
    if (phone && !numbers.has(phone.e164))
      numbers.set(phone.e164, { recipient: phone.e164, recipientGiven: item });
    const fault = phone ? undefined : recipientFault(item, place);
    if (fault) faults.push({ field: `recipients.${fault.at}`, message: fault.message, type: fault.type });
  });
  return { all: [...numbers.values()], faults };
}
