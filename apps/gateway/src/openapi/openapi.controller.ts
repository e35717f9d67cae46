import { createHash } from 'node:crypto';
import { RuntimeConfig } from '@gangan/runtime';
import { Controller, Get, Headers, HttpStatus, Res, type Type } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import type { FastifyReply } from 'fastify';
import { Public } from '../http/access.js';
import { Undocumented } from './answers.js';
import { documentOf } from './document.js';

interface Served {
  readonly text: string;
  readonly tag: string;
}

@Controller()
export class OpenapiController {
  private served?: Served;

  constructor(
    private readonly modules: ModulesContainer,
    private readonly config: RuntimeConfig,
  ) {}

  @Get('openapi.json')
  @Public()
  @Undocumented()
  document(@Headers('if-none-match') known: string | undefined, @Res() reply: FastifyReply): void {
    const { text, tag } = (this.served ??= this.make());
    void reply.headers({ etag: tag, 'cache-control': 'no-cache' });
    if (known === tag) void reply.status(HttpStatus.NOT_MODIFIED).send();
    else void reply.status(HttpStatus.OK).type('application/json; charset=utf-8').send(text);
  }

  private make(): Served {
    const modules = [...this.modules.values()];
    const controllers = modules.flatMap((module) => [...module.controllers.values()]);
    const types = controllers.map(({ metatype }) => metatype as Type);
    const text = JSON.stringify(documentOf(types, this.config.PUBLIC_URL));
    return { text, tag: `"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"` };
  }
}
