import { defineEvent, defineRequest } from '@gangan/protocol';
import { AirtimePurchase, BuyAirtimeRequest } from './airtime.dto.js';
import { AirtimeDue } from './airtime-due.dto.js';
import { AirtimePage, FindAirtimeRequest, ListAirtimeRequest } from './list-airtime.dto.js';

const queue = 'airtime';

export const buyAirtime = defineRequest({
  queue,
  name: 'airtime.buy',
  deadlineMs: 10_000,
  request: BuyAirtimeRequest,
  reply: AirtimePurchase,
});

export const findAirtime = defineRequest({
  queue,
  name: 'airtime.find',
  deadlineMs: 5_000,
  request: FindAirtimeRequest,
  reply: AirtimePurchase,
});

export const listAirtime = defineRequest({
  queue,
  name: 'airtime.list',
  deadlineMs: 10_000,
  request: ListAirtimeRequest,
  reply: AirtimePage,
});

/** One attempt: the purchase's row is the schedule, and whoever finds it overdue takes it up. */
export const airtimeDue = defineEvent({ queue, name: 'airtime.due', event: AirtimeDue, attempts: 1 });
