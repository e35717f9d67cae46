import { defineEvent, defineRequest } from '@gangan/protocol';
import {
  AirtimeDue,
  AirtimePage,
  AirtimePurchase,
  BuyAirtimeRequest,
  FindAirtimeRequest,
  ListAirtimeRequest,
} from './airtime.dto.js';

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

/** One attempt: if the event is lost, the sweeper finds the due row. */
export const airtimeDue = defineEvent({ queue, name: 'airtime.due', event: AirtimeDue, attempts: 1 });
