import { queueContracts, shortDeadline } from '../queue-contracts.js';
import { RecordEvent, RecordId } from '../record-id.dto.js';
import { AirtimePage, AirtimePurchase, BuyAirtimeRequest, ListAirtimeRequest } from './airtime.dto.js';
import { AirtimeProductPage, ListAirtimeProductsRequest } from './product.dto.js';

const { request, event } = queueContracts('airtime', 'airtime');

export const buyAirtime = request('airtime.buy', BuyAirtimeRequest, AirtimePurchase);
export const findAirtime = request('airtime.find', RecordId, AirtimePurchase, shortDeadline);
export const listAirtime = request('airtime.list', ListAirtimeRequest, AirtimePage);
export const listAirtimeProducts = request(
  'airtime.products',
  ListAirtimeProductsRequest,
  AirtimeProductPage,
  shortDeadline,
);

/** One attempt: if the event is lost, the sweeper finds the due row. */
export const airtimeDue = event('airtime.due', RecordEvent, { senders: ['airtime'], attempts: 1 });
