import { option, type OptionsOf } from '../options/options.js';
import { availableBroker, listOf, positive, whole, wholeFrom } from '../options/readers.js';

const maxRecipients = 1_000;

export const smsOptions = {
  seconds: option(positive, '4', 'how long each measurement takes'),
  rounds: option(whole, '3', 'how often both ways are measured, in turn; medians are shown'),
  connections: option(whole, '64', 'how many callers ask at a time'),
  recipients: option(listOf(wholeFrom(1, maxRecipients)), '1,1000', 'of one request'),
  backlog: option(
    wholeFrom(0),
    '100000',
    'recipients of one organisation that wait while another sends; 0 for none',
  ),
  on: option(availableBroker, 'postgres', 'where the queue lives: redis or postgres'),
};

export type SmsOptions = OptionsOf<typeof smsOptions>;
