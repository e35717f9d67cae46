import { flag, option, type OptionsOf, whole } from '@gangan/testing';

export const contactsOptions = {
  rows: option(whole, '1000000', 'rows of the large organisation'),
  few: option(whole, '1000', 'rows of the small organisation'),
  rounds: option(whole, '50', 'how often each query runs in both; medians are shown'),
  assert: flag('fail unless every query takes at most 3 × as long in the large organisation'),
};

export type ContactsOptions = OptionsOf<typeof contactsOptions>;
