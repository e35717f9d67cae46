import {
  countClicks,
  type CountClicksRequest,
  type CountedClicks,
  type ResolvedLink,
  resolveLink,
  type ResolveLinkRequest,
} from '@gangan/contracts';
import { Handles } from '@gangan/queue';
import { Controller } from '@nestjs/common';
import { LinksService } from './links.service.js';

@Controller()
export class LinksHandler {
  constructor(private readonly service: LinksService) {}

  @Handles(resolveLink)
  resolve(request: ResolveLinkRequest): Promise<ResolvedLink> {
    return this.service.resolve(request);
  }

  @Handles(countClicks)
  count(request: CountClicksRequest): Promise<CountedClicks> {
    return this.service.count(request);
  }
}
