import { IsArray, IsBoolean, IsIn, IsInt, IsNumber, IsOptional, IsString } from 'class-validator';
import { Pagination, RequestMeta } from '../pagination.dto.js';
import { ApiField, exampleId, exampleTime } from '../schema/api-field.js';
import { Nested, NestedList } from '../validation/nested.js';
import { SmsPersonalisation } from './send-sms.dto.js';

export const smsStatuses = [
  'queued',
  'sent',
  'delivered',
  'undelivered',
  'expired',
  'rejected',
  'failed',
] as const;

/** The status of a message for one recipient; all but the first two are final. */
export type SmsStatus = (typeof smsStatuses)[number];

const encodings = ['GSM-7', 'UCS-2'] as const;

export class SmsEstimate {
  @IsNumber()
  @ApiField('Available balance after the message, in naira', 9996)
  available_balance: number;

  @IsNumber()
  @ApiField('Cost of the message in naira: pages times price, for each recipient', 4)
  charge: number;

  @IsString()
  @IsIn(encodings)
  @ApiField(
    'Encoding of the longest text: `GSM-7`, or `UCS-2` if it contains a character outside of GSM-7',
    'GSM-7',
  )
  encoding: (typeof encodings)[number];

  @IsInt()
  @ApiField('Length of the longest text in characters of the encoding', 20)
  message_length: number;

  @IsInt()
  @ApiField('Pages of the longest text; 1 for WhatsApp', 1)
  pages: number;
}

export class SmsMeta extends RequestMeta {
  @Nested(SmsEstimate)
  @ApiField('Cost of the message')
  estimate: SmsEstimate;

  @IsOptional()
  @Nested(Pagination)
  @ApiField('Only in `GET /sms/{id}` of a message to a smartlist: position of this page in the deliveries')
  pagination?: Pagination;
}

export class SmsMessage {
  @IsString()
  @ApiField('Id of the message', exampleId)
  id: string;

  @IsArray()
  @IsString({ each: true })
  @ApiField('Recipients of the request without duplicates; empty for a smartlist', ['08031234567'])
  recipients: string[];

  @IsOptional()
  @IsString()
  @ApiField('`smartlist_id` of the request', exampleId)
  smartlist_id?: string;

  @IsString()
  @ApiField('Sender of the message', 'Gangan')
  sender_id: string;

  @IsBoolean()
  @ApiField('Whether links are replaced by short links', false)
  is_trackable: boolean;

  @IsString()
  @ApiField(
    'Text of the request, or the body of the template, with placeholders and original links',
    'Your order has left.',
  )
  content: string;

  @IsOptional()
  @IsString()
  @ApiField('`external_ref` of the request', 'order-17')
  external_ref?: string;

  @IsOptional()
  @IsString()
  @ApiField('`callback` of the request', 'https://example.com/callbacks')
  callback?: string;

  @IsOptional()
  @IsString()
  @ApiField('`template_id` of the request', '01900000-0000-7000-8000-000000000006')
  template_id?: string;

  @NestedList(SmsPersonalisation)
  @ApiField('`personalisation` of the request, only with placeholders of the template; always empty in lists')
  personalisation: SmsPersonalisation[];

  @IsString()
  @ApiField('Time of acceptance', exampleTime)
  created_datetime: string;

  @IsOptional()
  @IsString()
  @ApiField('Time of the last status change of a recipient', exampleTime)
  updated_datetime?: string;

  @Nested(SmsMeta)
  @ApiField('Request and cost')
  meta: SmsMeta;
}
