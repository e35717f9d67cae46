import { availableBroker, listOf, option, type OptionsOf, positive, whole, wholeFrom } from '@gangan/testing';

const maxRecipients = 1_000;
const maxOrganisations = 1_000;

export const smsOptions = {
  seconds: option(positive, '4', 'the length of each measurement'),
  rounds: option(whole, '3', 'how often both ways are measured; medians are shown'),
  connections: option(whole, '64', 'number of concurrent callers'),
  recipients: option(listOf(wholeFrom(1, maxRecipients)), '1,1000', 'recipients per request'),
  organisations: option(
    listOf(wholeFrom(1, maxOrganisations)),
    '1,50',
    'organisations that send, each over its own connections',
  ),
  backlog: option(
    wholeFrom(0),
    '100000',
    'waiting recipients of one organisation while another sends; 0 for none',
  ),
  on: option(availableBroker, 'postgres', 'the broker of the queue: redis or postgres'),
};

export type SmsOptions = OptionsOf<typeof smsOptions>;
