import { ArrayMaxSize, IsArray, IsIn, IsOptional, IsString, Matches } from 'class-validator';
import { type Channel, channels } from '../channel.js';
import { ApiSchema } from '../schema/describe-whole.js';
import { ApiField } from '../schema/describe.js';
import { MaxLength } from '../validation/max-length.js';
import { NotBlank } from '../validation/not-blank.js';
import { OneLine } from '../validation/one-line.js';
import { Required } from '../validation/required.js';
import { IsTemplateBody } from './template-body.js';

const id = '019a8f3e-6c1b-7d2a-9f00-3b5c8e7d1a42';
const time = '2026-11-15T09:30:00.123000+00:00';
const body = 'Dear {{name}}, your order {{order}} is on its way.';
const language = /^[a-z]{2,3}(?:_[A-Za-z]{2,4})?$/;
/** More than a body has room for. */
const mostVariables = 300;

@ApiSchema({
  rules: {
    if: { required: ['channel'], properties: { channel: { const: 'whatsapp' } } },
    then: { required: ['provider_name', 'language'] },
    else: {
      not: {
        anyOf: [{ required: ['provider_name'] }, { required: ['language'] }, { required: ['variables'] }],
      },
    },
  },
  examples: {
    sms: { name: 'Order on its way', channel: 'sms', body },
    whatsapp: {
      name: 'Order on its way, by WhatsApp',
      channel: 'whatsapp',
      body,
      provider_name: 'order_on_its_way',
      language: 'en_US',
      variables: ['order', 'name'],
    },
  },
})
export class CreateTemplateRequest {
  @Required()
  @IsString()
  @OneLine()
  @MaxLength(255)
  @ApiField('Yours to choose; no two templates of an organisation have the same', 'Order on its way')
  name: string;

  @IsOptional()
  @IsString()
  @IsIn(channels)
  @ApiField('What it is sent by; `sms` unless it says otherwise. It never changes', 'sms')
  channel?: Channel;

  @Required()
  @IsTemplateBody()
  @ApiField(
    'The text, with `{{name}}` for what differs from recipient to recipient: letters, digits and underscores between two braces. Braces stand for nothing else',
    body,
  )
  body: string;

  @IsOptional()
  @IsString()
  @NotBlank()
  @MaxLength(512)
  @ApiField('Needed with `whatsapp`, and only then: what the carrier calls the template', 'order_on_its_way')
  provider_name?: string;

  @IsOptional()
  @IsString()
  @Matches(language, { message: '$property must be a language such as en or en_US' })
  @ApiField('Needed with `whatsapp`, and only then: the language the carrier knows it in', 'en_US')
  language?: string;

  @IsOptional()
  @IsArray()
  @ArrayMaxSize(mostVariables)
  @IsString({ each: true })
  @ApiField(
    'Only with `whatsapp`: every placeholder once, in the order of the carrier’s variables; as they appear in the text unless it says otherwise',
  )
  variables?: string[];
}

/** What is absent stays as it is. */
export class ChangeTemplateFields {
  @IsOptional()
  @IsString()
  @NotBlank()
  @OneLine()
  @MaxLength(255)
  @ApiField('Another name', 'Order on its way')
  name?: string;

  @IsOptional()
  @IsString()
  @IsIn(channels)
  @ApiField('May be repeated, but not changed', 'sms')
  channel?: Channel;

  @IsOptional()
  @IsTemplateBody()
  @NotBlank()
  @ApiField('Another text', body)
  body?: string;

  @IsOptional()
  @IsString()
  @NotBlank()
  @MaxLength(512)
  @ApiField('Of a `whatsapp` template: what the carrier calls it', 'order_on_its_way')
  provider_name?: string;

  @IsOptional()
  @IsString()
  @Matches(language, { message: '$property must be a language such as en or en_US' })
  @ApiField('Of a `whatsapp` template: the language the carrier knows it in', 'en_US')
  language?: string;

  @IsOptional()
  @IsArray()
  @ArrayMaxSize(mostVariables)
  @IsString({ each: true })
  @ApiField('Of a `whatsapp` template: every placeholder once, in the order of the carrier’s variables')
  variables?: string[];
}

export class ChangeTemplateRequest extends ChangeTemplateFields {
  @Required()
  @IsString()
  id: string;
}

export class FindTemplateRequest {
  @Required()
  @IsString()
  id: string;
}

export class Template {
  @IsString()
  @ApiField('Of the template: what `template_id` of a message names', id)
  id: string;

  @IsString()
  @ApiField('As it was given', 'Order on its way')
  name: string;

  @IsString()
  @IsIn(channels)
  @ApiField('What it is sent by', 'sms')
  channel: Channel;

  @IsString()
  @ApiField('As it was given', body)
  body: string;

  @IsArray()
  @IsString({ each: true })
  @ApiField('What every recipient needs a value for, in the order of appearance', ['name', 'order'])
  placeholders: string[];

  @IsOptional()
  @IsString()
  @ApiField('With `whatsapp`: what the carrier calls it', 'order_on_its_way')
  provider_name?: string;

  @IsOptional()
  @IsString()
  @ApiField('With `whatsapp`: the language the carrier knows it in', 'en_US')
  language?: string;

  @IsArray()
  @IsString({ each: true })
  @ApiField('With `whatsapp`: the placeholders in the order of the carrier’s variables; else empty', [])
  variables: string[];

  @IsString()
  @ApiField('When it was made', time)
  created_datetime: string;

  @IsOptional()
  @IsString()
  @ApiField('When it was last changed', time)
  updated_datetime?: string;
}
