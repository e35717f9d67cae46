import { IsArray, IsBoolean, IsIn, IsInt, IsNumber, IsOptional, IsString } from 'class-validator';
import { Pagination, RequestMeta } from '../pagination.dto.js';
import { ApiField } from '../schema/describe.js';
import { Nested, NestedList } from '../validation/nested.js';
import { SmsPersonalisation } from './send-sms.dto.js';

const id = '019a8f3e-6c1b-7d2a-9f00-3b5c8e7d1a42';
const time = '2026-11-15T09:30:00.123000+00:00';

const encodings = ['GSM-7', 'UCS-2'] as const;

export class SmsEstimate {
  @IsNumber()
  @ApiField('What could be spent after the message, in naira', 9996)
  available_balance: number;

  @IsNumber()
  @ApiField('What the message costs, in naira: of each recipient the pages times the price', 4)
  charge: number;

  @IsString()
  @IsIn(encodings)
  @ApiField('Of the longest text: `GSM-7`, or `UCS-2` as soon as one character is outside of that', 'GSM-7')
  encoding: (typeof encodings)[number];

  @IsInt()
  @ApiField('Of the longest text, in characters of the encoding', 20)
  message_length: number;

  @IsInt()
  @ApiField('Of the longest text; WhatsApp counts one', 1)
  pages: number;
}

export class SmsMeta extends RequestMeta {
  @Nested(SmsEstimate)
  @ApiField('What it costs')
  estimate: SmsEstimate;

  @IsOptional()
  @Nested(Pagination)
  @ApiField('Of `GET /sms/{id}` with a smartlist: which part of the deliveries this is')
  pagination?: Pagination;
}

export class SmsMessage {
  @IsString()
  @ApiField('Of the message', id)
  id: string;

  @IsArray()
  @IsString({ each: true })
  @ApiField('As they were given, each once; none where a smartlist was given', ['08031234567'])
  recipients: string[];

  @IsOptional()
  @IsString()
  @ApiField('As it was given', id)
  smartlist_id?: string;

  @IsString()
  @ApiField('Who the message comes from', 'Gangan')
  sender_id: string;

  @IsBoolean()
  @ApiField('Whether links are replaced', false)
  is_trackable: boolean;

  @IsString()
  @ApiField(
    'The text as it was given, or the template’s body: nothing is filled in or replaced',
    'Your order has left.',
  )
  content: string;

  @IsOptional()
  @IsString()
  @ApiField('As it was given', 'order-17')
  external_ref?: string;

  @IsOptional()
  @IsString()
  @ApiField('As it was given', 'https://example.com/callbacks')
  callback?: string;

  @IsOptional()
  @IsString()
  @ApiField('As it was given', '01900000-0000-7000-8000-000000000006')
  template_id?: string;

  @NestedList(SmsPersonalisation)
  @ApiField('As it was given, without what the template has no place for; in a list always empty')
  personalisation: SmsPersonalisation[];

  @IsString()
  @ApiField('When it was accepted', time)
  created_datetime: string;

  @IsOptional()
  @IsString()
  @ApiField('When a recipient’s status last changed', time)
  updated_datetime?: string;

  @Nested(SmsMeta)
  @ApiField('What was asked and what it cost')
  meta: SmsMeta;
}
