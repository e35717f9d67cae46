import { Max, Min, ValidateIf } from 'class-validator';
import { PageMeta, PageQuery } from '../pagination.dto.js';
import { ApiField, ApiSchema, exampleId, exampleTime } from '../schema/api-field.js';
import {
  EnumField,
  IntegerField,
  ListField,
  ObjectField,
  OptionalIntegerField,
  OptionalTextField,
  TextField,
} from '../schema/fields.js';
import { maxRecipients, NeedsSmartlist, PhoneListField } from '../sms/send-sms.rules.js';
import { MaxLength, Required, rule } from '../validation/fields/decorators.js';

const isAbsent = (value: unknown): boolean => value === undefined || value === '';

/** With a smartlist, `phones` is not required. The rule of `smartlist_id` reports the conflict. */
const arePhonesChecked = ({ phones, smartlist_id }: LookupBatchRequest): boolean =>
  isAbsent(smartlist_id) || !isAbsent(phones);

const ExcludesPhones = rule(
  'excludesRecipients',
  (_, { phones }: { readonly phones?: unknown }) => isAbsent(phones),
  'cannot be combined with phones',
);

@ApiSchema({
  rules: {
    oneOf: [{ required: ['phones'] }, { required: ['smartlist_id'] }],
    dependentRequired: { phone_column: ['smartlist_id'] },
  },
  examples: {
    numbers: { phones: '07000000001, +2347000000011' },
    smartlist: { smartlist_id: exampleId, phone_column: 'Mobile' },
  },
})
export class LookupBatchRequest {
  @ValidateIf(arePhonesChecked)
  @PhoneListField(
    `Phone numbers separated by commas, at most ${maxRecipients}. Required unless there is a \`smartlist_id\``,
  )
  phones?: string;

  @OptionalTextField('Smartlist of your contacts instead of `phones`, of any size', exampleId)
  @Required()
  @ExcludesPhones()
  smartlist_id?: string;

  @OptionalTextField(
    'Name of the column with the phone numbers of the smartlist. Default: the first PHONE NUMBER column',
    'Mobile',
  )
  @Required()
  @MaxLength(255)
  @NeedsSmartlist()
  phone_column?: string;
}

export const lookupBatchStates = ['queued', 'running', 'done', 'failed'] as const;
export type LookupBatchState = (typeof lookupBatchStates)[number];

export class LookupBatch {
  @TextField('Id of the batch', exampleId)
  id: string;

  @EnumField(
    lookupBatchStates,
    'State of the batch. `done`: the file is ready; `failed`: it stopped, see `reason`; the file has the numbers before',
    'done',
  )
  state: LookupBatchState;

  @IntegerField('Number of lines in the file so far, one for each number', 1_000)
  numbers: number;

  @OptionalIntegerField('Progress in percent; absent while the size of the smartlist is unknown', 100)
  @Min(0)
  @Max(100)
  percent?: number;

  @IntegerField('Size of the file so far, in bytes', 65_536)
  bytes: number;

  @OptionalTextField('Why the batch failed', 'The balance is too low')
  reason?: string;

  @TextField('Time of the request', exampleTime)
  created_datetime: string;

  @OptionalTextField('Time of completion or failure', exampleTime)
  ended_datetime?: string;
}

export const defaultBatchPageSize = 20;

export class ListLookupBatchesRequest extends PageQuery {}

ApiField(`Maximum number of items on the page. Default: ${defaultBatchPageSize}`, 10)(
  ListLookupBatchesRequest.prototype,
  'limit',
);

export class LookupBatchPage {
  @ListField(LookupBatch, 'Batches, newest first')
  batches: LookupBatch[];

  @ObjectField(PageMeta, 'Request and pagination')
  meta: PageMeta;
}
