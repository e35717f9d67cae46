import type { PriceList } from '@gangan/billing';
import {
  countRecipients,
  isAllowedCountry,
  parsePhone,
  type SendSmsRequest,
  splitRecipients,
} from '@gangan/contracts';
import { deliveryIdsOf } from '../delivery-ids.js';
import { measureMessage, type Price } from '../text/measure-message.js';
import type { MessageTexts } from '../text/message-text.js';
import { type Draft, emptyContent } from './draft.js';
import { noValues } from './recipients.js';
import { categoryOf, maySendAs, type SendingRules } from '../sending-rules.js';

export interface PlainMessage {
  readonly draft: Draft;
  readonly price: Price;
}

/**
 * Reads the usual request synchronously: one SMS with a text to one number. Undefined for every other request, and for one that
 * has an error: `readDraft` and `priceDraft` read all requests and find all errors. The only place that decides which
 * requests are plain.
 */
export function readPlainMessage(
  request: SendSmsRequest,
  messageId: string,
  rules: SendingRules,
  texts: MessageTexts,
  prices: PriceList,
): PlainMessage | undefined {
  const { channel = 'sms', sender_id: sender = rules.defaultSender, recipients = '', content = '' } = request;
  const isPlain =
    channel === 'sms' &&
    request.template_id === undefined &&
    request.smartlist_id === undefined &&
    request.reply_to === undefined &&
    request.personalisation === undefined &&
    request.callback === undefined &&
    request.send_at === undefined &&
    request.is_trackable !== true &&
    countRecipients(recipients) === 1 &&
    maySendAs(rules, sender);
  if (!isPlain) return undefined;
  const [recipientGiven = ''] = splitRecipients(recipients);
  const phone = parsePhone(recipientGiven, texts.region);
  if (!phone || !isAllowedCountry(rules.countries, phone.country)) return undefined;
  const { e164: recipient, country } = phone;
  const body = { ...emptyContent, content };
  const { size, fault } = measureMessage({ body, channel }, noValues.substitutions, false, texts);
  const price = prices.tableOf(channel, categoryOf(request, rules)).priceOf(recipient);
  // A message without a charge has no ledger entry that would show an earlier run.
  if (fault !== undefined || price === undefined || price === 0n) return undefined;
  const kobo = BigInt(size.pages) * price;
  const [id = ''] = deliveryIdsOf(messageId, 1);
  return {
    draft: {
      channel,
      sender,
      body,
      source: 'content',
      faults: [],
      recipients: [{ to: { recipient, recipientGiven, index: 0, country }, values: noValues }],
    },
    price: {
      size,
      kobo,
      faults: [],
      deliveries: [{ id, recipient, recipientGiven, pages: size.pages, kobo, links: [] }],
    },
  };
}
