import { lookupPhone, lookupPhoneLive } from '@gangan/contracts';
import { Forwards } from '@gangan/queue';
import { Controller } from '@nestjs/common';
import { LookupService } from './lookup.service.js';

@Controller()
@Forwards(lookupPhone, LookupService, (service, ...call) => service.lookup(...call))
@Forwards(lookupPhoneLive, LookupService, (service, ...call) => service.lookupLive(...call))
export class LookupHandler {}
