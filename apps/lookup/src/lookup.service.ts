import { type LookupPhoneRequest, type ParsedPhone, parsePhone, type PhoneLookup } from '@gangan/contracts';
import { invalidRequest } from '@gangan/protocol';
import { Injectable } from '@nestjs/common';
import { LookupRepository } from './lookup.repository.js';
import { asNetwork, NumberingPlan } from './numbering-plan.js';

const unknown = 'UNKNOWN';

@Injectable()
export class LookupService {
  constructor(
    private readonly plan: NumberingPlan,
    private readonly registry: LookupRepository,
  ) {}

  async lookup({ phone: given }: LookupPhoneRequest): Promise<PhoneLookup> {
    const phone = parsePhone(given);
    if (!phone) throw notAPhone();
    const [planned, { portedTo, dnd }] = await Promise.all([
      this.plan.operatorOf(phone),
      this.registry.find(phone.e164),
    ]);
    return {
      msisdn: msisdnOf(phone),
      operator: (portedTo && asNetwork(portedTo)) ?? planned ?? unknown,
      country: phone.country ?? unknown,
      ported: portedTo !== undefined,
      dnd,
    };
  }
}

/** The gateway refuses these first, but a job is input too. */
const notAPhone = () =>
  invalidRequest([{ field: 'phone', message: 'phone must be a phone number', type: 'phone' }]);

const msisdnOf = ({ international, given, e164 }: ParsedPhone): string =>
  international ? given.trim() : e164.slice(1);
