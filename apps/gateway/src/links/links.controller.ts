import { Controller, Get, Param, Redirect, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Public } from '../http/access.js';
import { Undocumented } from '../openapi/answers.js';
import { ClickCounter } from './click-counter.js';
import { Destinations } from './destinations.js';
import { isVisit } from './is-visit.js';

const headers = {
  // Every visit is to be counted.
  'cache-control': 'no-store',
  // Where it leads is not told by which link, nor to whom that was sent.
  'referrer-policy': 'no-referrer',
  'x-robots-tag': 'noindex, nofollow',
};

/** For the people who receive messages: no part of the interface that is described. */
@Controller('l')
export class LinksController {
  constructor(
    private readonly destinations: Destinations,
    private readonly clicks: ClickCounter,
  ) {}

  @Get(':code')
  @Public()
  @Undocumented()
  @Redirect()
  async follow(
    @Param('code') code: string,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<{ url: string; statusCode: number }> {
    void reply.headers(headers);
    const url = await this.destinations.of(code);
    if (isVisit(request)) this.clicks.count(code);
    return { url, statusCode: 302 };
  }
}
