import { Prices } from '@gangan/billing';
import { Module } from '@nestjs/common';
import { LookupCharges } from './lookup-charges.js';

@Module({ providers: [LookupCharges, Prices], exports: [LookupCharges] })
export class ChargesModule {}
