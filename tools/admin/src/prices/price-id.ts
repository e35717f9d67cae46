import type { PriceCategory } from '@gangan/billing';
import type { PricedService } from '@gangan/database';
import type { Organisation } from '@gangan/management';

/** A price of the list, or of one organisation. */
export interface PriceId {
  readonly service: PricedService;
  /** Empty: every category. */
  readonly category: PriceCategory | '';
  /** Empty: every number. */
  readonly prefix: string;
  readonly organisation: Organisation | undefined;
}

export const keyOf = ({ service, category, prefix }: Record<'service' | 'category' | 'prefix', string>) =>
  `${service} ${category} ${prefix}`;

export const isKeptForTests = ({ category, prefix, organisation }: PriceId): boolean =>
  !organisation && category === '' && prefix === '';
