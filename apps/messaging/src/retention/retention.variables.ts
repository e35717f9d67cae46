import { wholeNumber } from '@gangan/runtime';

export const retentionVariables = {
  MESSAGES_KEPT_DAYS: wholeNumber({ min: 1, max: 3_650 })({
    default: 90,
    desc: 'For how many days messages are kept, with their deliveries, links and clicks; what has not ended stays',
  }),
};
