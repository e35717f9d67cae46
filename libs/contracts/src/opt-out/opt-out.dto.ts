import { IsIn } from 'class-validator';
import { type Channel, channels } from '../delivery/delivery.dto.js';
import { PageMeta, PageQuery } from '../pagination.dto.js';
import { exampleId, exampleTime } from '../schema/api-field.js';
import {
  EnumField,
  ListField,
  ObjectField,
  OptionalEnumField,
  OptionalTextField,
  RequiredTextField,
  TextField,
} from '../schema/fields.js';
import { IsPhone } from '../validation/fields/decorators.js';

const phone = '+2347000000001';

export const optOutSources = ['api', 'import', 'message'] as const;
export type OptOutSource = (typeof optOutSources)[number];

export class AddOptOutRequest {
  @RequiredTextField('Phone number in any common notation', '07000000001')
  @IsPhone()
  phone: string;

  @OptionalTextField('Channel of the opt-out. Default: `sms`', 'sms')
  @IsIn(channels)
  channel?: Channel;
}

export class ListOptOutsRequest extends PageQuery {
  @OptionalTextField('Return only the opt-outs of this phone number', '07000000001')
  @IsPhone()
  phone?: string;

  @OptionalEnumField(channels, 'Return only opt-outs of this channel', 'sms')
  channel?: Channel;
}

export class OptOut {
  @TextField('Id of the opt-out', exampleId)
  id: string;

  @TextField('Phone number with country code', phone)
  phone: string;

  @EnumField(channels, 'Channel of the opt-out', 'sms')
  channel: Channel;

  @EnumField(
    optOutSources,
    'Where it comes from: a request to this API, an import by the operator, or a message of the recipient',
    'api',
  )
  source: OptOutSource;

  @TextField('Time of the opt-out', exampleTime)
  created_datetime: string;
}

export class OptOutPage {
  @ListField(OptOut, 'Opt-outs, newest first')
  opt_outs: OptOut[];

  @ObjectField(PageMeta, 'The request, and where the next page starts')
  meta: PageMeta;
}
