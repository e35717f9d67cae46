import { createHash } from 'node:crypto';
import { ContractSettings } from '@gangan/contracts';
import { RuntimeConfig } from '@gangan/runtime';
import { Controller, Get, Headers, HttpStatus, Res, type Type } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import type { FastifyReply } from 'fastify';
import { Public } from '../http/routes/access.js';
import { Undocumented } from './decorators.js';
import { documentOf } from './document.js';

interface CachedDocument {
  readonly text: string;
  readonly etag: string;
}

@Controller()
export class OpenapiController {
  private cached?: CachedDocument;

  constructor(
    private readonly modules: ModulesContainer,
    private readonly config: RuntimeConfig,
    private readonly settings: ContractSettings,
  ) {}

  @Get('openapi.json')
  @Public()
  @Undocumented()
  document(@Headers('if-none-match') known: string | undefined, @Res() reply: FastifyReply): void {
    const { text, etag } = (this.cached ??= this.build());
    void reply.headers({ etag, 'cache-control': 'no-cache' });
    if (known === etag) void reply.status(HttpStatus.NOT_MODIFIED).send();
    else void reply.status(HttpStatus.OK).type('application/json; charset=utf-8').send(text);
  }

  private build(): CachedDocument {
    const modules = [...this.modules.values()];
    const controllers = modules.flatMap((module) => [...module.controllers.values()]);
    const types = controllers.map(({ metatype }) => metatype as Type);
    const text = JSON.stringify(documentOf(types, this.config.PUBLIC_URL, this.settings));
    return { text, etag: `"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"` };
  }
}
