import { maxRecipients, parsePhone, recipientError, splitRecipients } from '@gangan/contracts';
import { fieldError, type FieldError } from '@gangan/protocol';
import { mapInSlices } from '../text/in-slices.js';
import type { Recipient } from '../text/message-text.js';

/** A recipient and its position in the request. */
export interface IndexedRecipient extends Recipient {
  readonly index: number;
}

export interface Recipients {
  /** Without duplicates: of several spellings of one number, the first. */
  readonly all: readonly IndexedRecipient[];
  readonly faults: readonly FieldError[];
}

/** The gateway checks this too, but a job can come from elsewhere. */
const tooMany = fieldError('recipients', `recipients must be at most ${maxRecipients} numbers`, 'too_long');

export async function readRecipients(text: string, region: string): Promise<Recipients> {
  const items = splitRecipients(text);
  if (items.length > maxRecipients) return { all: [], faults: [tooMany] };
  const numbers = new Map<string, IndexedRecipient>();
  const faults: FieldError[] = [];
  await mapInSlices(items, (item, index) => {
    const phone = parsePhone(item, region);
    if (phone && !numbers.has(phone.e164))
      numbers.set(phone.e164, { recipient: phone.e164, recipientGiven: item, index });
    const fault = phone ? undefined : recipientError(item, index, region);
    if (fault) faults.push(fieldError(`recipients.${fault.at}`, fault.message, fault.type));
  });
  return { all: [...numbers.values()], faults };
}
