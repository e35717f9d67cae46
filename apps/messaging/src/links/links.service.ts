import { CallbackAnnouncer } from '@gangan/callbacks';
import type { CountClicksRequest, CountedClicks, ResolvedLink, ResolveLinkRequest } from '@gangan/contracts';
import { Injectable } from '@nestjs/common';
import { LinksRepository } from './links.repository.js';

@Injectable()
export class LinksService {
  constructor(
    private readonly repository: LinksRepository,
    private readonly announcer: CallbackAnnouncer,
  ) {}

  async resolve({ code }: ResolveLinkRequest): Promise<ResolvedLink> {
    const { url, isTest } = (await this.repository.find(code)) ?? {};
    return url === undefined ? {} : { url, ...(isTest && { isTest }) };
  }

  async count({ links }: CountClicksRequest): Promise<CountedClicks> {
    const { counted, callbackIds } = await this.repository.count(links);
    void this.announcer.announce(callbackIds);
    return { counted };
  }
}
