import type { Api, CallOptions, WriteOptions } from '../api.js';
import { type Pages, pagesOf } from '../pages.js';
import type { Query, Schemas } from '../routes.js';

/** SMS and WhatsApp messages. */
export class Messages {
  constructor(private readonly api: Api) {}

  /** Sends a text or a template to numbers, or to a smartlist. It is stored and charged when this returns. */
  send(body: Schemas['SendSmsRequest'], options?: WriteOptions): Promise<Schemas['SmsMessage']> {
    return this.api.call('POST /sms/send', { body }, options);
  }

  /** What a message would cost, and who would not get it. Nothing is stored, charged or sent. */
  estimate(body: Schemas['SendSmsRequest'], options?: CallOptions): Promise<Schemas['EstimatedSms']> {
    return this.api.call('POST /sms/estimate', { body }, options);
  }

  /** Newest first. */
  list(
    query: Query<'GET /sms'> = {},
    options?: CallOptions,
  ): Pages<Schemas['SmsPage'], Schemas['ListedSms']> {
    return pagesOf(this.api, 'GET /sms', { query }, (page) => page.messages, options);
  }

  /** A message with its deliveries; of a smartlist the first of them. */
  find(
    id: string,
    query: Query<'GET /sms/{id}'> = {},
    options?: CallOptions,
  ): Promise<Schemas['SmsDetails']> {
    return this.api.call('GET /sms/{id}', { path: { id }, query }, options);
  }

  /** All deliveries of a message. */
  deliveries(id: string, options?: CallOptions): Pages<Schemas['SmsDetails'], Schemas['SmsDelivery']> {
    const itemsOf = (page: Schemas['SmsDetails']): readonly Schemas['SmsDelivery'][] => page.deliveries;
    return pagesOf(this.api, 'GET /sms/{id}', { path: { id } }, itemsOf, options, 'after');
  }

  /** Holds the recipients that no provider has yet. */
  pause(id: string, options?: WriteOptions): Promise<Schemas['SmsMessage']> {
    return this.api.call('POST /sms/{id}/pause', { path: { id } }, options);
  }

  resume(id: string, options?: WriteOptions): Promise<Schemas['SmsMessage']> {
    return this.api.call('POST /sms/{id}/resume', { path: { id } }, options);
  }

  /** Ends and refunds the recipients that no provider has yet. */
  cancel(id: string, options?: WriteOptions): Promise<Schemas['SmsMessage']> {
    return this.api.call('POST /sms/{id}/cancel', { path: { id } }, options);
  }
}
