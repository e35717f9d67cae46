import { maxRecipients, parsePhone, recipientError, splitRecipients } from '@gangan/contracts';
import type { FieldError } from '@gangan/protocol';
import type { Recipient } from '../text/message-text.js';
import { inSlices } from '../text/in-slices.js';

/** And where in the request. */
export interface PlacedRecipient extends Recipient {
  readonly place: number;
}

export interface Recipients {
  /** In their order; of several spellings of one number, the first. */
  readonly all: readonly PlacedRecipient[];
  readonly faults: readonly FieldError[];
}

/** The gateway refuses it first, but a job is input too. */
const tooMany: FieldError = {
  field: 'recipients',
  message: `recipients must be at most ${maxRecipients} numbers`,
  type: 'too_long',
};

export async function readRecipients(text: string): Promise<Recipients> {
  const items = splitRecipients(text);
  if (items.length > maxRecipients) return { all: [], faults: [tooMany] };
  const numbers = new Map<string, PlacedRecipient>();
  const faults: FieldError[] = [];
  await inSlices(items, (item, place) => {
    const phone = parsePhone(item);
    if (phone && !numbers.has(phone.e164))
      numbers.set(phone.e164, { recipient: phone.e164, recipientGiven: item, place });
    const fault = phone ? undefined : recipientError(item, place);
    if (fault) faults.push({ field: `recipients.${fault.at}`, message: fault.message, type: fault.type });
  });
  return { all: [...numbers.values()], faults };
}
