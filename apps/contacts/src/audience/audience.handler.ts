import {
  type OpenedSmartlist,
  openSmartlist,
  type OpenSmartlistRequest,
  readSmartlist,
  type ReadSmartlistRequest,
  type SmartlistRows,
} from '@gangan/contracts';
import type { RequestContext } from '@gangan/protocol';
import { Handles } from '@gangan/queue';
import { Controller } from '@nestjs/common';
import { AudienceService } from './audience.service.js';

@Controller()
export class AudienceHandler {
  constructor(private readonly service: AudienceService) {}

  @Handles(openSmartlist)
  open(request: OpenSmartlistRequest, context: RequestContext): Promise<OpenedSmartlist> {
    return this.service.open(request, context);
  }

  @Handles(readSmartlist)
  read(request: ReadSmartlistRequest, context: RequestContext): Promise<SmartlistRows> {
    return this.service.read(request, context);
  }
}
