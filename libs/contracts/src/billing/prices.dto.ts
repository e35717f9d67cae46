import { RequestMeta } from '../pagination.dto.js';
import {
  EnumField,
  ListField,
  NumberField,
  ObjectField,
  OptionalEnumField,
  TextField,
} from '../schema/fields.js';

/** The services that have a price per number. */
export const pricedServices = ['sms', 'whatsapp', 'lookup'] as const;

const pricedCategories = ['transactional', 'promotional', 'otp'] as const;

export class ListedPrice {
  @EnumField(
    pricedServices,
    '`sms`: a page of an SMS or OTP. `whatsapp`: a message or OTP on WhatsApp. `lookup`: a lookup of a number',
    'sms',
  )
  service: (typeof pricedServices)[number];

  @TextField(
    'International digits that the number starts with; empty for all numbers without a longer prefix',
    '234',
  )
  prefix: string;

  @OptionalEnumField(
    pricedCategories,
    'Only for messages of this category, or for OTPs; absent for all',
    'promotional',
  )
  category?: (typeof pricedCategories)[number];

  @NumberField('Price in naira', 4)
  price: number;
}

export class PriceListing {
  @ListField(ListedPrice, 'Prices of your organisation, by service and prefix')
  prices: ListedPrice[];

  @TextField('Currency, ISO 4217', 'NGN')
  currency: string;

  @ObjectField(RequestMeta, 'Request')
  meta: RequestMeta;
}
