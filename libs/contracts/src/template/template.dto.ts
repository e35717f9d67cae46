import { ArrayMaxSize, IsArray, IsIn, IsOptional, IsString, Matches } from 'class-validator';
import { type Channel, channels } from '../delivery/delivery.dto.js';
import { PageMeta } from '../pagination.dto.js';
import { ApiField, ApiSchema, exampleId, exampleTime } from '../schema/api-field.js';
import {
  EnumField,
  ListField,
  ObjectField,
  OptionalTextField,
  RequiredTextField,
  TextField,
  TextListField,
} from '../schema/fields.js';
import { combine, IsName, MaxLength, NotBlank, OneLine, Required } from '../validation/fields/decorators.js';
import { absent } from '../validation/json-schema.js';
import { IsTemplateBody } from './template-body.js';
import { CarrierField, IsForWhatsApp, ListsPlaceholders } from './template-rules.js';

const body = 'Dear {{name}}, your order {{order}} is on its way.';

/** A list of variables. Its limit is more than fit into a body. */
const IsVariableList = (): PropertyDecorator =>
  combine(IsOptional(), IsArray(), ArrayMaxSize(300), IsString({ each: true }));

const IsLanguage = (): PropertyDecorator =>
  Matches(/^[a-z]{2,3}(?:_[A-Za-z]{2,4})?$/, { message: '$property must be a language such as en or en_US' });

@ApiSchema({
  rules: {
    anyOf: [
      {
        required: ['channel', 'provider_name', 'language'],
        properties: { channel: { const: 'whatsapp' } },
      },
      {
        properties: {
          channel: { enum: channels.filter((channel) => channel !== 'whatsapp') },
          provider_name: absent,
          language: absent,
          variables: absent,
        },
      },
    ],
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
  @RequiredTextField('Name of the template, unique in the organisation', 'Order on its way')
  @OneLine()
  @MaxLength(255)
  name: string;

  @OptionalTextField('Channel of the template. Default: `sms`. It cannot be changed', 'sms')
  @IsIn(channels)
  channel?: Channel;

  @Required()
  @IsTemplateBody()
  @ApiField(
    'Text with placeholders such as `{{name}}`: letters, digits and underscores in double braces. Braces are not allowed elsewhere',
    body,
  )
  body: string;

  @CarrierField()
  @IsString()
  @ApiField(
    'Name of the template at the carrier. Required for `whatsapp`, not allowed otherwise',
    'order_on_its_way',
  )
  @NotBlank()
  @MaxLength(512)
  provider_name?: string;

  @CarrierField()
  @IsString()
  @ApiField(
    'Language of the template at the carrier. Required for `whatsapp`, not allowed otherwise',
    'en_US',
  )
  @IsLanguage()
  language?: string;

  @IsVariableList()
  @IsForWhatsApp()
  @ListsPlaceholders()
  @ApiField(
    'Only for `whatsapp`: every placeholder once, in the order of the carrier’s variables. Default: the order in the text',
  )
  variables?: string[];
}

/** A change of a template; absent fields are not changed. */
@ApiSchema({
  examples: {
    sms: { name: 'Order on its way', body },
    whatsapp: { provider_name: 'order_on_its_way', language: 'en_US' },
  },
})
export class ChangeTemplateFields {
  @OptionalTextField('New name', 'Order on its way')
  @IsName(255)
  name?: string;

  @OptionalTextField('Current channel; it cannot be changed', 'sms')
  @IsIn(channels)
  channel?: Channel;

  @IsOptional()
  @IsTemplateBody()
  @NotBlank()
  @ApiField('New text', body)
  body?: string;

  @OptionalTextField('Only for `whatsapp`: name of the template at the carrier', 'order_on_its_way')
  @NotBlank()
  @MaxLength(512)
  provider_name?: string;

  @OptionalTextField('Only for `whatsapp`: language of the template at the carrier', 'en_US')
  @IsLanguage()
  language?: string;

  @IsVariableList()
  @ApiField('Only for `whatsapp`: every placeholder once, in the order of the carrier’s variables')
  variables?: string[];
}

export class ChangeTemplateRequest extends ChangeTemplateFields {
  id: string;
}

export class Template {
  @TextField('Id of the template; the `template_id` of a message', exampleId)
  id: string;

  @TextField('Name of the template', 'Order on its way')
  name: string;

  @EnumField(channels, 'Channel of the template', 'sms')
  channel: Channel;

  @TextField('Text of the template', body)
  body: string;

  @TextListField('Placeholders in the order of the text; every recipient needs a value for each', [
    'name',
    'order',
  ])
  placeholders: string[];

  @OptionalTextField('Only for `whatsapp`: name of the template at the carrier', 'order_on_its_way')
  provider_name?: string;

  @OptionalTextField('Only for `whatsapp`: language of the template at the carrier', 'en_US')
  language?: string;

  @TextListField('Placeholders in the order of the carrier’s variables; empty for `sms`', [])
  variables: string[];

  @TextField('Time of creation', exampleTime)
  created_datetime: string;

  @OptionalTextField('Time of the last change', exampleTime)
  updated_datetime?: string;
}

export class TemplatePage {
  @ListField(Template, 'Templates, newest first')
  templates: Template[];

  @ObjectField(PageMeta, 'Request and pagination')
  meta: PageMeta;
}
