import { airtimeDue, buyAirtime, findAirtime, listAirtime, listAirtimeProducts } from '@gangan/contracts';
import { Forwards } from '@gangan/queue';
import { Controller } from '@nestjs/common';
import { AirtimeService } from './airtime.service.js';
import { ProductsService } from './products/products.service.js';
import { SettlementService } from './settlement/settlement.service.js';

@Controller()
@Forwards(buyAirtime, AirtimeService, (service, ...call) => service.buy(...call))
@Forwards(findAirtime, AirtimeService, (service, ...call) => service.find(...call))
@Forwards(listAirtime, AirtimeService, (service, ...call) => service.list(...call))
@Forwards(listAirtimeProducts, ProductsService, (service, ...call) => service.list(...call))
@Forwards(airtimeDue, SettlementService, (settlement, { id }) => settlement.settle(id))
export class AirtimeHandler {}
